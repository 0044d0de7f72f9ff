"""Networks of few functions: on every cell each entry is one of them, known by its number. Lattices of minima and maxima."""
