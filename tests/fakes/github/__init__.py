"""A GitHub for tests: a stateful loopback server over a real bare repository, with GitHub's rules."""
