"""A table with roles: what it says, how sure that is, and what would settle it. It asks rooms that know arrays only."""
