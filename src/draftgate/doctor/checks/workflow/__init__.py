"""Checks of GitHub's workflow files."""
