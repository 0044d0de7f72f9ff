"""A network for the square, with its certificate.

Subtracting sawtooth functions, divided by powers of four, from the identity gives the linear interpolants of x^2. A construction
carries its error bound; verifying it computes the error in two independent ways.
"""

import matplotlib.pyplot as plt
import numpy as np

from plica.construct import squaring

for m in (1, 2, 4, 8):
    net = squaring(m)
    print(f"m = {m}: {net.n_units:2d} units, depth {net.depth}, error <= {net.certificate.bound}")

# The certificate: the bound, the true error on the exact complex (a fraction), and the check of an exported torch module.

net = squaring(4)
certificate = net.certificate
print("true error:", certificate.true_error)
print("tightness:", certificate.tightness)
verification = certificate.verify(net.module())
print("verified as a torch module:", bool(verification))

# A moved weight is found.

module = net.module()
next(module.parameters()).data[0, 0] += 2.0**-20
print("with one weight moved:", certificate.verify(module).reason)

figure, axes = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
x = np.linspace(0, 1, 1025)
for m, color in ((1, "#E69F00"), (2, "#009E73"), (3, "#0072B2")):
    y = squaring(m)(x[:, None]).ravel()
    axes[0].plot(x, y, color=color, label=f"m = {m}")
    axes[1].semilogy(x, y - x**2 + 1e-6, color=color)
axes[0].legend(frameon=False)
axes[0].set_title("interpolants of x²")
axes[1].set_title("their errors (plus 10⁻⁶)")
alt = "Left: piecewise-linear interpolants of the square. Right: their errors, arcs whose height falls by four with each layer."
