"""Networks of the verifiers' competition, as published: each loads and computes what onnxruntime computes."""

import gzip
import os
from pathlib import Path

import numpy as np
import pytest

from plica import load

ort = pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")

FOLDER = Path(os.environ.get("PLICA_DATA", "")) / "vnncomp"
FILES = sorted(FOLDER.glob("**/*.onnx*")) if "PLICA_DATA" in os.environ else []


@pytest.mark.skipif(not FILES, reason="the folder vnncomp is not in PLICA_DATA")
@pytest.mark.parametrize("n_files", [3, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("family", sorted({p.relative_to(FOLDER).parts[0] for p in FILES}))
def test_published_networks_compute_what_onnxruntime_computes(family, n_files):
    rng = np.random.default_rng(0)
    files = [p for p in FILES if p.relative_to(FOLDER).parts[0] == family]
    for path in files[:: -(-len(files) // n_files)]:
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        options = ort.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = 1, 3
        session = ort.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        network = load(path)
        (declared,) = session.get_inputs()
        x = rng.uniform(-1, 1, network.input_shape).astype(np.float32)
        given = x.reshape([n if isinstance(n, int) else 1 for n in declared.shape])
        expected = session.run(None, {declared.name: given})[0].reshape(-1)
        found = network(x.astype(np.float64)).reshape(-1)
        assert np.abs(found - expected).max() <= 2e-4 * max(1.0, np.abs(expected).max()), path.name
