"""What made the bundled results, and what measures networks of your own; not a part of the package."""
