"""Tree search, and what it asks of a net."""
