"""What can be seen, as values: the facts that checks judge, one module for each area."""
