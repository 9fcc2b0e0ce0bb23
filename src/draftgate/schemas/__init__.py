"""The stored and published forms of what Draftgate keeps and answers: closed, versioned, checked on reading."""
