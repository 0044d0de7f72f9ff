"""Errors in ``plica.sparse``."""

from __future__ import annotations

from error import CHANGED, CONSTANT, FORMULA, ROLE, TERM, Error, within

ERRORS: tuple[Error, ...] = (
    *within(
        "sparse._choose",
        ("count_kept", "density * n", "1.2 * density * n", "sparsity-methods", CONSTANT),
        (
            "_largest",
            "torch.argsort(flat, descending=True, stable=True)",
            "torch.argsort(flat, descending=True)",
            "sparse/test_compress",
            TERM,
        ),
    ),
    *within(
        "sparse._compress",
        ("_Compressor._constant", "self.before[k].high <= 0", "self.before[k].high <= 1e-3", "sparse/test_compress", CONSTANT),
        ("_Compressor._fold", "r.low >= 0", "r.low >= -1e-3", "sparse/test_compress", CONSTANT),
    ),
    *within(
        "sparse._dynamic",
        ("Dynamic.move", "self.rule == 'set'", "self.rule == 'rigl'", "sparse/test_training", FORMULA),
        ("smallest", "w.abs()", "-w.abs()", "sparse/test_training", CHANGED),
    ),
    *within(
        "sparse._scores",
        ("magnitude_scores", "w.detach().abs()", "w.detach()", "hoefler-2021-five-percent", TERM),
        ("grasp_scores", "w.detach() * hg", "hg", "sparse/test_scores", TERM),
        ("synflow_scores", "w.detach() * g", "g", "tanaka-2020-conservation", TERM),
        ("snip_scores", "w.detach() * gradients[name]", "gradients[name]", "sparsity-methods", CHANGED),
        ("grasp_scores", "w.detach() * hg", "-w.detach() * hg", "sparse/test_scores", CHANGED),
    ),
    *within(
        "sparse._structured",
        ("_without", "gone * layer.block + j", "gone + j", "sparse/test_channels", CONSTANT),
    ),
    *within(
        "sparse._rounded",
        ("RoundedLayer.scale", "np.abs(s)[:, None]", "s[:, None]", "sparse/test_compress", ROLE),
    ),
)
