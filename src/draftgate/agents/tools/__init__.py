"""What a model may call: tools that read the two commits and what led to them, and nothing else."""
