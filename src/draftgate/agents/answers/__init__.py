"""What a model answers: read, cleaned, and held to the two commits before anybody else sees it."""
