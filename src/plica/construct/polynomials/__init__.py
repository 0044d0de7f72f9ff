"""Approximation by polynomials: squares by sawteeth, products by squares, and what follows from them."""
