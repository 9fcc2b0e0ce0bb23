"""What ``draftgate doctor`` thinks of what it is shown: one file for each check, pure functions of facts to verdicts.

Nothing here reads, asks or prints. Whoever can see something makes the facts: `draftgate.bootstrap.doctor` and the
modules named ``survey`` beside git and the forges.
"""
