"""Pruned models: are they smaller, are they faster? LeNet-300-100 on MNIST with a tenth of its weights, and CSR against dense.

Without MNIST (``PLICA_DATA``) the networks are not trained, and accuracies are not shown: bytes and times are those of the same
shapes. All on one thread; processor time, the smallest of several repetitions. Goal: 90 % of the weights pruned by units is at
least 3 times smaller and faster in onnxruntime. What single weights bring is measured beside it. LeNet-5 with a quarter of its
weights loses channels, whole kernels and what reads them: 6 and 16 maps become 1 and 5, the file 5.7 times smaller, an image 1.5
and a batch of 256 1.8 times faster, while 95.0 instead of 97.8 % of the test images are right.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from operator import matmul
from pathlib import Path
from typing import Any

import numpy as np
import torch

import plica
from plica.errors import PlicaError
from plica.learn import fit, mlp
from plica.network import to_onnx
from plica.sparse import NETWORKS, Protocol, apply_masks, compress, fit_kept, kept, prune, prune_units, sparse_fit

EPOCHS = 4
GOAL = 3.0


def processor_time(call: Callable[[], Any], *, at_least_s: float = 0.1, times: int = 5) -> float:
    """Seconds of the processor for one call, the smallest of several means."""
    call()
    start, n = time.process_time(), 0
    while time.process_time() - start < at_least_s:
        call()
        n += 1
    found = []
    for _ in range(times):
        start = time.process_time()
        for _ in range(n):
            call()
        found.append((time.process_time() - start) / n)
    return min(found)


def pruned_models(data: Any) -> dict[str, tuple[Any, float | None]]:
    """The dense network and two with a tenth of its weights: trained, if there is data."""
    found = {}
    for method, density in (("dense", 1.0), ("trained-magnitude", 0.1), ("trained-units", 0.1)):
        model, accuracy = mlp([784, 300, 100, 10], seed=0, flatten=data is not None), None
        if data is not None:
            accuracy = sparse_fit(model, data, method=method, density=density, protocol=Protocol(epochs=EPOCHS)).accuracy
        elif method != "dense":
            apply_masks(
                model, prune(model, "magnitude", density) if method == "trained-magnitude" else prune_units(model, density)
            )
        found[method] = (model, accuracy)
    return found


def session(path: Path) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def models_table() -> None:
    try:
        data: Any = plica.data.load("mnist")
    except PlicaError as error:
        print(f"  not trained: {error.message}")
        data = None
    low, high = np.zeros(784), np.ones(784)
    if data is not None:
        flat = np.asarray(data.flat, dtype=np.float64)
        low, high = flat.min(axis=0), flat.max(axis=0)  # pixels that are 0 in all images are constants
    shape = (28, 28) if data is not None else (784,)
    x = {n: np.random.default_rng(0).random((n, *shape), dtype=np.float32) for n in (1, 256)}
    baseline: tuple[int, dict[int, float]] | None = None
    print(f"  {'':53} accuracy      bytes  smaller   us at 1   faster   us at 256   faster   deviation")
    with tempfile.TemporaryDirectory() as folder:
        for method, (model, accuracy) in pruned_models(data).items():
            network = plica.from_torch(model, example_input=torch.zeros(1, *shape))
            small = compress(network, (low, high))
            ways = [("as it is", network, False, 0.0), ("nonzero weights stored", network, True, 0.0)]
            ways += [("compressed", small.network, False, small.largest_error)]
            if method == "trained-magnitude":
                ways += [("compressed, nonzero weights stored", small.network, True, small.largest_error)]
            few = compress(network, (low, high), drop_inputs=True)
            ways += [("compressed, inputs gathered", few.network, False, few.largest_error)]
            for way, net, sparse, deviation in ways[::2] if method == "dense" else ways:
                path = Path(folder) / f"{method}-{way}.onnx"
                to_onnx(net, path, dtype="float32", sparse=sparse)
                runs = session(path)
                times = {n: processor_time(partial(runs.run, None, {"input": x[n]})) for n in x}
                size = path.stat().st_size
                baseline = baseline or (size, times)
                right = "        " if accuracy is None else f"{accuracy:8.4f}"
                print(
                    f"  {method + ', ' + way:53} {right} {size:10,} {baseline[0] / size:8.2f} "
                    + "".join(f"{1e6 * t:9.1f} {baseline[1][n] / t:8.2f}   " for n, t in times.items())
                    + f"<= {deviation:.1e}",
                    flush=True,
                )
            print(f"    {small}")
    print(f"  goal: units, compressed: {GOAL:g} times smaller, and faster")


def channels_table() -> None:
    try:
        data: Any = plica.data.load("mnist")
    except PlicaError as error:
        print(f"  not trained: {error.message}")
        return
    data = replace(data, x=data.x[:15_000], y=data.y[:15_000])
    x = {n: np.random.default_rng(0).random((n, 28, 28), dtype=np.float32) for n in (1, 256)}
    baseline: tuple[int, dict[int, float]] | None = None
    print(f"  {'':34} accuracy  channels      bytes  smaller   us at 1   faster   us at 256   faster   deviation")
    with tempfile.TemporaryDirectory() as folder:
        for method, density in (("dense", 1.0), ("trained-units", 0.25)):
            model = NETWORKS["lenet-5"](data, (), 0)
            how = Protocol(epochs=EPOCHS, rate=0.05)
            accuracy = sparse_fit(model, data, method=method, density=density, protocol=how).accuracy
            network = plica.from_torch(model, example_input=torch.zeros(1, 28, 28))
            small = compress(network, (np.zeros(784), np.ones(784)))
            for way, net, deviation in (("as it is", network, 0.0), ("compressed", small.network, small.largest_error)):
                path = Path(folder) / f"{method}-{way}.onnx"
                to_onnx(net, path, dtype="float32")
                runs = session(path)
                times = {n: processor_time(partial(runs.run, None, {"input": x[n]})) for n in x}
                size, maps = path.stat().st_size, [len(node.op.weight) for node in net.nodes if node.op.kind == "conv"]
                baseline = baseline or (size, times)
                print(
                    f"  {method + ', ' + way:34} {accuracy:8.4f} {maps!s:>9} {size:10,} {baseline[0] / size:8.2f} "
                    + "".join(f"{1e6 * t:9.1f} {baseline[1][n] / t:8.2f}   " for n, t in times.items())
                    + f"<= {deviation:.1e}",
                    flush=True,
                )


def csr_table() -> None:
    """Where single weights pay on this machine: a 300 x 784 matrix times a batch, dense against compressed rows."""
    from scipy import sparse

    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    print("  300 x 784 times a batch, float32: how many times faster than dense numpy (below 1: slower)")
    batches = (1, 16, 256)
    print(f"  {'sparsity':>10} " + "".join(f"   scipy at {n:<4} torch at {n:<4}" for n in batches))
    for sparsity in (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995):
        w = np.where(rng.random((300, 784)) < sparsity, 0.0, rng.standard_normal((300, 784))).astype(np.float32)
        rows, line = sparse.csr_array(w), f"  {sparsity:10.1%} "
        theirs = torch.from_numpy(w).to_sparse_csr()
        for n in batches:
            x = rng.standard_normal((784, n)).astype(np.float32)
            dense = processor_time(partial(matmul, w, x), at_least_s=0.02, times=3)
            tensor = torch.from_numpy(x)
            ours = processor_time(partial(matmul, rows, x), at_least_s=0.02, times=3)
            line += f"{dense / ours:15.2f}"
            line += f"{dense / processor_time(partial(matmul, theirs, tensor), at_least_s=0.02, times=3):14.2f}"
        print(line, flush=True)


def training_table() -> None:
    """A step of training LeNet-300-100 at batch 60: masks on dense weights against weights that do not exist."""
    rng = np.random.default_rng(0)
    data = (rng.random((6000, 28, 28), dtype=np.float32), rng.integers(0, 10, 6000))
    print("  ms for a step of Adam on LeNet-300-100, batches of 60: fit within kept, fit_kept, how many times faster")
    for density in (1.0, 0.5, 0.2, 0.1, 0.05, 0.02):
        found = []
        for way in ("kept", "fit_kept"):
            model = mlp([784, 300, 100, 10], seed=0, flatten=True)
            masks = prune(model, "random", density)
            if way == "kept":
                with kept(model, masks):
                    runs = [fit(model, data, steps=200, batch=60) for _ in range(2)]
            else:
                runs = [fit_kept(model, masks, data, steps=200, batch=60) for _ in range(2)]
            found.append(min(run.processor_seconds for run in runs) / 200)
        print(f"  {density:10.1%} {1e3 * found[0]:8.2f} {1e3 * found[1]:8.2f} {found[0] / found[1]:8.2f}", flush=True)


def main() -> None:
    models_table()
    channels_table()
    csr_table()
    training_table()


if __name__ == "__main__":
    main()
