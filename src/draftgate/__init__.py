"""Draftgate reviews a change, holds what it found as a draft, and publishes exactly what a human approves."""

__version__ = "0.1.0"
