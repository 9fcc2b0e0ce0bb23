"""Everything a person or another program reads, as pure functions from domain values to text.

Nothing here reads a file, a clock or the environment, and nothing decides what may be published.
"""
