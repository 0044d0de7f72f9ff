"""The engine of three and more dimensions, and its complex."""
