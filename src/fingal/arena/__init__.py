"""Players against players, measured."""
