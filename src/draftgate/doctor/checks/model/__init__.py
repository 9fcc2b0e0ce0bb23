"""Checks of the models that a review would ask."""
