"""What :func:`plica.data.load` returns: points with labels, text, translated sentences, or a graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput


@dataclass(frozen=True, repr=False)
class Dataset:
    """Points and, where there are any, what belongs to them.

    Attributes
    ----------
    name
        The name it was loaded by.
    x, y
        Points, one per row, and their labels (integers) or values (floats); ``y`` is None where there are none.
        Images are float32 in [0, 1] with shape (n, height, width), or (n, colors, height, width).
    x_test, y_test
        The published test set; None where the data are generated or have no split.
    n_classes
        Number of labels; 0 for values.
    dimension
        The dimension of the manifold the points were drawn from, where it is known.
    latent
        Coordinates of the points on that manifold.
    about
        Where the data come from, or how they were generated.
    """

    name: str
    x: Array
    y: Array | None = None
    x_test: Array | None = None
    y_test: Array | None = None
    n_classes: int = 0
    dimension: int | None = None
    latent: Array | None = None
    about: str = ""

    @property
    def flat(self) -> Array:
        """The points as a matrix: images become rows of pixels."""
        return self.x.reshape(len(self.x), -1)

    @property
    def flat_test(self) -> Array:
        """The points of the test set as a matrix."""
        if self.x_test is None:
            raise InvalidInput(f"data set {self.name!r} has no test set.", hint="divide it: data.split(0.8, seed=0)")
        return self.x_test.reshape(len(self.x_test), -1)

    def subset(self, n: int, *, seed: int = 0, n_test: int | None = None) -> Dataset:
        """``n`` random points, and ``n_test`` of the test set (all of it if not given), without repetition.

        Examples
        --------
        >>> import plica.data
        >>> plica.data.load("moons", n=100).subset(10).x.shape
        (10, 2)
        """
        rng = np.random.default_rng(seed)
        rows = _choose(rng, len(self.x), n, "points")
        small = replace(
            self,
            x=self.x[rows],
            y=None if self.y is None else self.y[rows],
            latent=None if self.latent is None else self.latent[rows],
        )
        if n_test is None or self.x_test is None or self.y_test is None:
            return small
        rows = _choose(rng, len(self.x_test), n_test, "test points")
        return replace(small, x_test=self.x_test[rows], y_test=self.y_test[rows])

    def split(self, share: float, *, seed: int = 0) -> Dataset:
        """The same points divided at random into a training set and a test set."""
        if self.x_test is not None:
            raise InvalidInput(f"data set {self.name!r} has a published test set.", hint="use x_test and y_test")
        if self.y is None or not 0 < share < 1:
            raise InvalidInput(f"cannot divide {self.name!r} by {share}.", hint="labeled data and a share between 0 and 1")
        order = np.random.default_rng(seed).permutation(len(self.x))
        n = round(share * len(order))
        if not 0 < n < len(order):
            raise InvalidInput(f"{len(order)} points divided by {share} leave one part empty.", hint="load more points")
        a, b = order[:n], order[n:]
        latent = None if self.latent is None else self.latent[a]
        return replace(self, x=self.x[a], y=self.y[a], x_test=self.x[b], y_test=self.y[b], latent=latent)

    def __repr__(self) -> str:
        test = "" if self.x_test is None else f" + {len(self.x_test):,} test"
        shape = "x".join(map(str, self.x.shape[1:])) or "1"
        kind = f", {self.n_classes} classes" if self.n_classes else ""
        manifold = "" if self.dimension is None else f", dimension {self.dimension}"
        return f"<Dataset {self.name}: {len(self.x):,}{test} points of {shape}{kind}{manifold}>"

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        facts = {
            "points": len(self.x),
            "test_points": None if self.x_test is None else len(self.x_test),
            "shape_of_a_point": " × ".join(map(str, self.x.shape[1:])) or "1",
            "least_and_largest": f"{self.x.min():.4g} to {self.x.max():.4g}",
            "classes": self.n_classes or None,
            "about": self.about,
        }
        return facts_html(self, {name: value for name, value in facts.items() if value not in (None, "")})


def _choose(rng: np.random.Generator, size: int, n: int, what: str) -> Array:
    if not 0 < n <= size:
        raise InvalidInput(f"{n} of {size} {what} cannot be chosen.", hint=f"give a number from 1 to {size}")
    return rng.choice(size, n, replace=False)


@dataclass(frozen=True, repr=False)
class Text:
    """A text as one string, with the share of it that is customarily used for training."""

    name: str
    text: str
    train_share: float = 0.9
    about: str = ""

    @property
    def alphabet(self) -> str:
        """The symbols that occur, in the order of their code points."""
        return "".join(sorted(set(self.text)))

    @property
    def train(self) -> str:
        return self.text[: int(self.train_share * len(self.text))]

    @property
    def test(self) -> str:
        return self.text[int(self.train_share * len(self.text)) :]

    def encode(self, text: str) -> Array:
        """Positions of the symbols in the alphabet."""
        table = {symbol: i for i, symbol in enumerate(self.alphabet)}
        try:
            return np.array([table[symbol] for symbol in text], dtype=np.int64)
        except KeyError as error:
            raise InvalidInput(f"the symbol {error.args[0]!r} does not occur in {self.name!r}.") from None

    def decode(self, codes: Array) -> str:
        """The inverse of :meth:`encode`."""
        alphabet = self.alphabet
        return "".join(alphabet[i] for i in np.asarray(codes).tolist())

    def __repr__(self) -> str:
        return f"<Text {self.name}: {len(self.text):,} characters, {len(self.alphabet)} symbols>"


@dataclass(frozen=True, repr=False)
class Translation:
    """Sentences in two languages, by split: ``data["train"]`` is a list of (source, target) pairs."""

    name: str
    languages: tuple[str, str]
    splits: Mapping[str, list[tuple[str, str]]] = field(default_factory=dict)
    about: str = ""

    def __getitem__(self, split: str) -> list[tuple[str, str]]:
        if split not in self.splits:
            raise InvalidInput(f"{self.name!r} has no split {split!r}.", hint=f"one of {', '.join(self.splits)}")
        return self.splits[split]

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name} {len(pairs):,}" for name, pairs in self.splits.items())
        return f"<Translation {self.name}: {self.languages[0]} to {self.languages[1]}, {sizes}>"


@dataclass(frozen=True, repr=False)
class LabeledGraph:
    """An undirected graph with features and labels at its nodes.

    ``edges`` holds each edge once; ``train``, ``val`` and ``test`` are indices of nodes. Graph networks take it as it is.
    """

    name: str
    features: Array
    edges: Array
    labels: Array
    train: Array
    val: Array
    test: Array
    about: str = ""

    @property
    def n_nodes(self) -> int:
        return len(self.labels)

    @property
    def n_classes(self) -> int:
        return int(self.labels.max()) + 1

    def adjacency(self) -> Array:
        """The symmetric 0/1 matrix, dense, without loops."""
        matrix = np.zeros((self.n_nodes, self.n_nodes), dtype=np.float32)
        i, j = self.edges.T
        matrix[i, j] = matrix[j, i] = 1.0
        return matrix

    def __repr__(self) -> str:
        return (
            f"<LabeledGraph {self.name}: {self.n_nodes:,} nodes, {len(self.edges):,} edges, {self.features.shape[1]:,} features, "
            f"{self.n_classes} classes>"
        )
