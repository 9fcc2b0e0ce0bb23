"""Source text as structure, one module a language, read with the tree-sitter grammars of ast-grep.

A grammar module says what a file defines and where; what a name refers to, and whether a change
breaks it, is decided by the checks.
"""
