"""The engine of two-dimensional domains, and its complex."""
