"""How large published models are."""
