"""Fewer weights: what can be pruned, when, by which rule, and what is left of the function."""
