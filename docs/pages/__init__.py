"""The reference pages that are more than one function; ``docs/generate.py`` writes them all."""
