"""Checks of GitHub: the token, the account and the settings."""
