"""Architectures that can be trained: torch modules whose choices are spelled out, and what can be read off them."""
