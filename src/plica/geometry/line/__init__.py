"""The engine of segments and paths, and its complex."""
