"""Proof: who wins, and why."""
