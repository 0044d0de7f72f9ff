"""For theorists: from a theorem to a check that could fail.

A theorem about linear regions is a formula and an object. Here the object is built, the formula is compared with an exact
count, a bound is tried where it is attained, and a small error is put into the formula to see that the comparison notices.
"""

from math import comb

import matplotlib.pyplot as plt

import plica
from plica.network import Linear, Rectifier
from plica.theory.regions import zaslavsky

# One layer of n neurons is an arrangement of n lines. In general position all their crossings are inside a large enough window,
# and the window has as many cells as the whole plane: that is what the whole plane itself, `plica.Space`, confirms without a
# window.

net = plica.random_network([2, 8, 1], seed=0, weights="he-normal", bias_std=0.5)
everywhere = plica.count_regions(net, plica.Space(2)).n_cells
print("cells of 8 lines:", everywhere, "predicted:", zaslavsky(8, 2))

# A prediction that was off by one term would be noticed, because the count is a number and not a picture.

wrong = sum(comb(8, k) for k in range(2))
print("with the last term dropped:", wrong, "agrees:", wrong == everywhere)

# Coinciding and parallel lines are no special case: signs of vertices are -, 0 or +, and zero is decided like the others.

weights, bias = net.nodes[1].op.weight.copy(), net.nodes[1].op.bias.copy()
weights[1], bias[1] = 2 * weights[0], 2 * bias[0]  # the same line twice
weights[3] = weights[2]  # and a parallel one
special = plica.Network.sequential(2, [Linear(weights, bias), Rectifier()])
print("one line twice, two parallel:", plica.count_regions(special, plica.Space(2)).n_cells)

# Upper bounds say more where they are attained. Random networks stay far below the product over layers; `montufar-2014` in the
# catalog measures a network whose proof makes it fold.

depths = range(1, 5)
nets = [plica.random_network([2, *[4] * k, 1], seed=1, bias_std=0.3) for k in depths]
counts = [plica.count_regions(each, plica.Space(2)).n_cells for each in nets]
print("4 neurons in each of 1 to 4 layers:", counts)

# The catalog does this for three hundred statements. Each has its source, a prediction, a measurement that shares no code with
# it, and a verdict; `plica claims new ID --topic regions` begins one of your own.

outcome = plica.check("zaslavsky-1975")
print(outcome.verdict, "with", len(outcome.rows), "rows")

cx = plica.decompose(net, plica.Box([-6, -6], [6, 6]))
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
cx.plot(ax=left)
left.set_title(f"{cx.n_cells} of {everywhere} cells in this window")
right.semilogy(list(depths), counts, "o-", color="#0072B2", label="random network, exact")
products = [float(zaslavsky(4, 2)) ** k for k in depths]
right.semilogy(list(depths), products, "--", color="#D55E00", label="product of one-layer bounds")
right.set(xlabel="layers of 4 neurons", ylabel="cells of the plane", xticks=list(depths))
right.legend(frameon=False)
alt = "Left: eight lines in a window. Right: cells of random networks by depth, far below the product of layers' bounds."
