"""The edge towards CI systems: their environment and events become values, outcomes become outputs and log lines."""
