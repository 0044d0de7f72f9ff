"""All of R^n: a box that holds every vertex, and what lies beyond it."""
