"""The shape of the loss."""
