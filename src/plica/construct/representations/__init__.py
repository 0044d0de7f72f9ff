"""Functions that ReLU networks are, without any error: interpolants, maxima, foldings, sawteeth, parity, stored bits."""
