"""Leaf functions that several learners share."""
