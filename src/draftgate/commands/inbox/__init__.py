"""Commands as they come in from a conversation: which of them wait, whose are done, and how each is answered."""
