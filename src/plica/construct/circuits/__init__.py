"""Networks written as formulas: wires, ReLUs, squares, and wires that carry the bound of their error."""
