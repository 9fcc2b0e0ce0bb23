"""The forge without a server: a git repository and a folder of state beside its work tree."""
