"""Bounds by auto_LiRPA, in a process of its own: its release 0.3 needs four names that newer NumPy and torch have elsewhere.

    python auto_lirpa_bounds.py IN.npz OUT.npz

IN holds ``x`` (boxes' centers), ``epsilon``, and the layers ``w0``, ``b0``, ``w1``, ... of a network of ReLUs; OUT gets bounds
by intervals and by backward bounds with adaptive slopes.
"""

import sys
import types

import numpy as np
import torch
import torch.onnx.symbolic_helper as symbols


def give_old_names() -> None:
    sets = types.ModuleType("numpy.lib.arraysetops")
    sets.isin = np.isin
    sys.modules.setdefault("numpy.lib.arraysetops", sets)
    symbols._set_opset_version = lambda version: None  # a ReLU is the same in all of them
    torch._C.Node.__getitem__ = lambda node, key: getattr(node, node.kindOf(key))(key)


def main() -> None:
    give_old_names()
    from auto_LiRPA import BoundedModule, BoundedTensor, PerturbationLpNorm

    given = np.load(sys.argv[1])
    layers: list[torch.nn.Module] = []
    for k in range(sum(name.startswith("w") for name in given)):
        layer = torch.nn.Linear(*given[f"w{k}"].shape[::-1]).double()
        layer.weight.data, layer.bias.data = torch.as_tensor(given[f"w{k}"]), torch.as_tensor(given[f"b{k}"])
        layers += [layer, torch.nn.ReLU()]
    x = torch.as_tensor(given["x"])
    model = BoundedModule(torch.nn.Sequential(*layers[:-1]), torch.zeros_like(x), bound_opts={"relu": "adaptive"})
    ball = BoundedTensor(x, PerturbationLpNorm(norm=np.inf, eps=float(given["epsilon"])))
    out = {}
    for name, method in (("interval", "IBP"), ("crown", "backward")):
        low, high = model.compute_bounds(x=(ball,), method=method)
        out[f"{name}_low"], out[f"{name}_high"] = low.detach().numpy(), high.detach().numpy()
    np.savez(sys.argv[2], **out)


if __name__ == "__main__":
    main()
