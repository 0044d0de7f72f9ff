"""The tasks that a command trains: model, batches, objective and score, with a small default that needs no data of one's own."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from plica import data
from plica._types import Array
from plica._whole import write_whole
from plica.errors import InvalidInput
from plica.learn._objectives import Objective
from plica.learn._points import fingerprint
from plica.learn._probes import Probe, Regions
from plica.learn.tasks._chars import held_out_loss, next_character_loss, tables, windows
from plica.learn.tasks._nodes import cora, planted_partition
from plica.learn.tasks._numerals import numerals
from plica.learn.tasks._recipe import Recipe
from plica.learn.tasks._translation import END, PADDING, SPECIALS, START, Batches, smoothed_loss, translate
from plica.models import build
from plica.models.text import BytePairEncoding

ALPHABET, TOKENS = "alphabet.json", "tokens.json"
MAX_TABLE_BYTES = 2**24
Root = Path | None


def _nothing(folder: Path) -> None:
    """Keep nothing beside the model."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """What is trained, on what, and how it is judged.

    Attributes
    ----------
    data, contents
        What it was made from, in words, and a hash of it: a folder goes on with the very same data only.
    score
        Numbers on data that were not trained on.
    keep
        Writes what the model needs beside its weights, such as an alphabet.
    """

    data: str
    contents: str
    model: nn.Module
    draw: Callable[[int], Any]
    objective: Objective
    recipe: Recipe
    score: Callable[[], dict[str, float]]
    keep: Callable[[Path], None] = _nothing
    probes: Sequence[Probe] = field(default_factory=tuple)


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{path} is no text in UTF-8: {error.reason} at byte {error.start}.", hint="convert it first"
        ) from None


def chars(root: Root, seed: int) -> Prepared:
    """A GPT that continues a text: tiny Shakespeare, a text file, or sentences about sums and products."""
    from plica.models.transformer import GPT, GPTConfig

    text, n_steps = data.Text("tables", tables(seed)), 400
    if root is not None and root.is_file():
        text, n_steps = data.Text(root.name, _text(root)), 2000
    elif root is not None:
        text, n_steps = data.load("tinyshakespeare", root=root), 2000
    n_context = GPTConfig.preset("chars").max_length
    if len(text.test) <= 2 * n_context:
        raise InvalidInput(f"a text of {len(text.text)} characters is too short.", hint=f"give {30 * n_context} or more")
    config = GPTConfig.preset("chars", vocabulary=len(text.alphabet), position="rotary")
    model = build(GPT, config, seed=seed)
    test = text.encode(text.test)

    def score() -> dict[str, float]:
        loss, error = held_out_loss(model, test, config.max_length)
        return {"nats_per_character": loss, "standard_error": error}

    def keep(folder: Path) -> None:
        write_whole(folder / ALPHABET, json.dumps({"alphabet": text.alphabet}))

    return Prepared(
        f"{text.name}, {len(text.text):,} characters", _hash(text.text), model,
        windows(text.encode(text.train), n_batch=12, n_context=config.max_length, seed=seed), next_character_loss,
        Recipe(n_steps, rate=2e-3, n_warmup=max(1, n_steps // 20), betas=(0.9, 0.99), decay=0.1, seed=seed), score, keep,
    )  # fmt: skip


def _size(d_model: int, n_layers: int, d_ff: int) -> dict[str, Any]:
    return {"d_model": d_model, "n_heads": 4, "n_encoder_layers": n_layers, "n_decoder_layers": n_layers, "d_ff": d_ff}


def translation(root: Root, seed: int) -> Prepared:
    """A Transformer that translates German into English: Multi30k, or numbers in words."""
    from plica.models.transformer import Transformer, TransformerConfig

    if root is None:
        (pairs, test), n_tokens, n_steps, size = numerals(seed), 320, 600, _size(64, 2, 128)
        name = "numbers in words"
    else:
        found = data.load("multi30k", root=root)
        pairs, test = ([(a.strip(), b.strip()) for a, b in found[split]] for split in ("train", "test2016"))
        n_tokens, n_steps, size = 8000, 9 * -(-len(pairs) // 64), _size(256, 3, 512)
        name = "multi30k"
    bpe = BytePairEncoding.train((text for pair in pairs for text in pair), n_tokens=n_tokens, specials=SPECIALS)
    config = TransformerConfig(
        source_vocabulary=bpe.n_tokens, target_vocabulary=bpe.n_tokens, max_length=128, padding=PADDING, start=START, end=END,
        dropout=0.1, **size,
    )  # fmt: skip
    model = build(Transformer, config, seed=seed)
    coded = [(bpe.encode(a)[:80], bpe.encode(b)[:80]) for a, b in pairs]

    def score() -> dict[str, float]:
        written = translate(model, bpe, [a for a, _ in test[:200]])
        right = sum(found == expected for found, (_, expected) in zip(written, test, strict=False))
        return {"sentences_right": right / len(written)}

    return Prepared(
        f"{name}, {len(pairs):,} pairs", _hash(json.dumps([pairs, test])), model, Batches(coded, 64, seed), smoothed_loss,
        Recipe(n_steps, rate=2e-3 if root is None else 1e-3, n_warmup=n_steps // 10, seed=seed), score,
        lambda folder: bpe.save(folder / TOKENS),
    )  # fmt: skip


def _classes_loss(model: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
    return cross_entropy(model(batch[0]), batch[1])


def _classified(found: data.Dataset, model: nn.Module, name: str, recipe: Recipe, n_batch: int) -> Prepared:
    assert found.y is not None and found.x_test is not None and found.y_test is not None
    side = found.x.shape[-1]
    x, x_test = (torch.from_numpy(part).float().reshape(-1, 1, side, side) for part in (found.x, found.x_test))
    y, y_test = torch.from_numpy(found.y), torch.from_numpy(found.y_test)

    def draw(step: int) -> tuple[Tensor, Tensor]:
        rows = torch.randint(0, len(x), (n_batch,), generator=torch.Generator().manual_seed(recipe.seed * 1_000_003 + step))
        return x[rows], y[rows].long()

    def score() -> dict[str, float]:
        with torch.no_grad():
            right = torch.cat([model(part).argmax(1) for part in x_test.split(500)]) == y_test
        return {"test_accuracy": float(right.double().mean())}

    contents = fingerprint((found.x, found.y, found.x_test, found.y_test))
    return Prepared(f"{name}, {len(x):,} images", contents, model, draw, _classes_loss, recipe, score)


def digits(root: Root, seed: int) -> Prepared:
    """A Vision Transformer that reads digits: MNIST, or the 8 x 8 digits of scikit-learn."""
    from plica.models.vision import VisionTransformer, ViTConfig

    if root is None:
        found, n_steps = data.load("digits").split(0.8, seed=seed), 600
        config = ViTConfig(side=8, patch=2, n_channels=1, n_classes=10, d_model=32, n_layers=2, n_heads=4, d_ff=64)
    else:
        found, n_steps, config = data.load("mnist", root=root), 4000, ViTConfig.preset("mnist")
    recipe = Recipe(n_steps, rate=3e-3 if root is None else 1e-3, n_warmup=n_steps // 20, betas=(0.9, 0.99), seed=seed)
    return _classified(found, build(VisionTransformer, config, seed=seed), "digits" if root is None else "mnist", recipe, 64)


def nodes(root: Root, seed: int) -> Prepared:
    """A GCN that classifies nodes of a graph: Cora, or a planted partition."""
    from plica.models.graphs import GCN, GCNConfig

    found = planted_partition(seed=seed) if root is None else cora(root)
    n_classes = int(found.y.max()) + 1
    model = build(GCN, GCNConfig(found.x.shape[1], n_classes, d_hidden=16, dropout=0.5), seed=seed)

    def objective(m: nn.Module, known: Tensor) -> Tensor:
        return cross_entropy(m(found.x, found.graph)[known], found.y[known])

    def score() -> dict[str, float]:
        with torch.no_grad():
            right = model(found.x, found.graph)[found.test].argmax(1) == found.y[found.test]
        return {"test_accuracy": float(right.double().mean())}

    name = "planted partition" if root is None else "cora"
    recipe = Recipe(200, rate=1e-2, last=1.0, betas=(0.9, 0.999), decay=5e-2, clip=None, seed=seed)
    contents = fingerprint((found.x, found.y, found.train, found.test, found.graph.source, found.graph.target))
    return Prepared(f"{name}, {len(found.y):,} nodes", contents, model, lambda step: found.train, objective, recipe, score)


def _moons(seed: int) -> tuple[Array, Array]:
    found = data.load("moons", n=600, seed=seed)
    assert found.y is not None
    return found.x, found.y


def _table(path: Path) -> tuple[Array, Array]:
    """Rows of numbers, the last of them a class 0, 1, ...; a first line of names is passed over."""
    if path.stat().st_size > MAX_TABLE_BYTES:
        raise InvalidInput(f"{path} is larger than {MAX_TABLE_BYTES} bytes.")
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        named = bool(lines) and not _is_number(lines[0].split(",")[0])
        if len(lines) - named < 10:
            raise ValueError(f"it has {len(lines) - named} rows")
        table = np.loadtxt(lines, delimiter=",", skiprows=int(named), ndmin=2)
    except ValueError as error:
        raise InvalidInput(f"{path} is no table of numbers: {error}.", hint="x,y,class in each line") from None
    labels = table[:, -1]
    good = table.shape[1] > 1 and np.isfinite(table).all()
    if not good or (labels != np.round(labels)).any() or labels.min() < 0 or labels.max() > 1000:
        raise InvalidInput(f"{path} has no rows of coordinates and a class.", hint="x,y,class in each line, classes 0, 1, ...")
    if labels.max() == 0 or (table[:, :-1] == table[0, :-1]).all():
        raise InvalidInput(
            f"{path} has {'one class' if labels.max() == 0 else 'one point'} only.", hint="there is nothing to learn"
        )
    return table[:, :-1], labels.astype(np.int64)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def regions(root: Root, seed: int) -> Prepared:
    """A ReLU network that separates two moons, or the classes of points in a CSV file; its regions are counted on the way."""
    from plica.geometry import Box
    from plica.learn._modules import mlp

    points, labels = _table(root) if root is not None else _moons(seed)
    x, y = torch.from_numpy(points).float(), torch.from_numpy(labels).long()
    model = mlp([x.shape[1], 32, 32, int(y.max()) + 1], seed=seed)
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(seed))
    train, test = order[: 4 * len(x) // 5], order[4 * len(x) // 5 :]
    low, high = x.amin(0).double().numpy(), x.amax(0).double().numpy()
    margin = 0.1 * (high - low)
    probes = [Regions(domain=Box(low - margin, high + margin), every=50, unit="step")] if x.shape[1] == 2 else []

    def draw(step: int) -> tuple[Tensor, Tensor]:
        chosen = torch.randint(0, len(train), (32,), generator=torch.Generator().manual_seed(seed * 1_000_003 + step))
        return x[train[chosen]], y[train[chosen]]

    def score() -> dict[str, float]:
        with torch.no_grad():
            return {"test_accuracy": float((model(x[test]).argmax(1) == y[test]).double().mean())}

    return Prepared(
        f"{'moons' if root is None else root.name}, {len(x):,} points", fingerprint((points, labels)), model, draw,
        _classes_loss, Recipe(600, rate=1e-2, n_warmup=20, seed=seed), score, probes=probes,
    )  # fmt: skip


TASKS: dict[str, Callable[[Root, int], Prepared]] = {
    "chars": chars,
    "translate": translation,
    "digits": digits,
    "cora": nodes,
    "regions": regions,
}
