"""Experiments on a scenario: many runs of it, and what they add up to."""
