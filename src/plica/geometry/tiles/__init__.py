"""A domain in pieces, here or on a cluster, and how they are glued."""
