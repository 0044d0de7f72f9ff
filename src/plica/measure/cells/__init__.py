"""What the complex of a network knows exactly: extremes, integrals, distributions, constants, attributions, topology."""
