"""A model for tests: a loopback server that speaks the wire formats of the providers and says what a script says."""
