"""Paper 000: temporal-difference learners on 3x3, and value error against projected Bellman error."""
