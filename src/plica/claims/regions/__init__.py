"""How many cells and regions."""
