"""Checks of the machine and the clone."""
