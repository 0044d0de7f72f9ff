"""How networks are trained: rates, floors and counterexamples of the methods, with their constants."""
