"""What forges on a network have in common: their answers, the checkpoint in comments, the roles for one change.

What one of them alone does is in its own folder.
"""
