"""The built-in checks: deterministic, without key or network, each one file in `rules`."""
