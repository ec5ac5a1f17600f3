"""Paper 004: EZO-CNN, a net of values that learns from its own games of minimax search."""
