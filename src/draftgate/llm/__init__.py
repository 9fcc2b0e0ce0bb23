"""Models over HTTP: one port, and each provider's wire format behind it.

Nothing here knows what a review is; what is asked and what becomes of the answer is `draftgate.agents`.
"""
