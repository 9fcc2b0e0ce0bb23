"""The gate: from a human's approval to exactly one published review, from any point a run was stopped at."""
