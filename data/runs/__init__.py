"""What only the scripts beside it use, which made the bundled results; not a part of the package."""
