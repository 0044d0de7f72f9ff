"""A claim, checked and drawn.

A claim is a statement with its source, a prediction and a measurement. Printed forms that are false are in the catalog too, with
the smallest counterexample and the corrected statement beside them.
"""

import matplotlib.pyplot as plt

import plica

# A theorem: lines in general position.

claim = plica.catalog()["zaslavsky-1975"]
evidence = plica.check("zaslavsky-1975")
print(claim.title)
print(evidence)

# A formula as it stood on a slide. The first row that does not hold is the counterexample.

printed = plica.check("slide-binomial-sum")
print(printed.verdict, "(expected:", printed.expected + ")")
row = printed.counterexample
print("counterexample:", row.parameters, "predicted", row.predicted, "measured", row.measured)

# What to cite.

print(plica.cite("zaslavsky-1975"))

figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
evidence.plot(ax)
alt = "Five lines in general position and the 16 regions that they make."
