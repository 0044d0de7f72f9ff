"""Networks without cells: steps, sigmoids, cosines and exponentials, and the baselines they are compared with."""
