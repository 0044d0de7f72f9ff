"""Approximation by pieces on a grid: splines, triangles, boxes, hats and wavelets, and trees of them."""
