"""Checks of GitLab's pipeline file."""
