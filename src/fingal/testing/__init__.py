"""Conformance suites for people who add their own: each raises AssertionError with a sentence."""

from fingal.testing.player import check_player

__all__ = ["check_player"]
