"""The reference: pages about what the package offers, made from its docstrings without importing it."""
