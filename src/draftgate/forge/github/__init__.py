"""GitHub, through PyGithub: the only folder that imports it, and nothing here is imported before a forge is chosen."""
