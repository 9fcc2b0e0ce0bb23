"""Checks of GitLab: the token, the account and the settings."""
