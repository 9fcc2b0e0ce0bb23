"""Git as a source of facts: hardened, bounded, and never written.

It exists so that nothing else starts git or reads a repository's files. Nothing here changes a
repository, reaches a network, or runs a program that the repository or the change names.
"""
