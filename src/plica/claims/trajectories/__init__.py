"""How curves grow through layers."""
