"""Data sets and their intrinsic dimension."""
