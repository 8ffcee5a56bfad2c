"""What one notebook needs and nothing else does: a module per notebook, internal."""
