"""How far an input may move."""
