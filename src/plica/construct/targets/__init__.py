"""Functions that networks approximate: formulas, polynomials, spectra and trees, with bounds of their values and derivatives."""
