"""A package, so that no other distribution's package of this name is taken for it by worker processes."""
