"""The composition root: the only place that names concrete adapters and joins them to the flows."""
