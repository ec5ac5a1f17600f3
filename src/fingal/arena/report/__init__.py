"""One page that shows what was measured."""
