"""From cells to regions: which neighbors share one affine map."""
