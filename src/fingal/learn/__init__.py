"""Learning: one file an algorithm."""
