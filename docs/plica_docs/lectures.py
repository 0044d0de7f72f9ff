"""What a lecturer shows: states of the explorer, slide by slide, and what the explorer cannot show, from the gallery."""

from __future__ import annotations

from dataclasses import dataclass

from plica.web import State
from plica.web._lessons import scene_link

PRESENT = "present=1"


@dataclass(frozen=True)
class Scene:
    """A slide's picture. ``state`` is the part of an explorer's link after ``#``; ``gallery`` is the name of a page."""

    title: str
    text: str
    state: str = ""
    claims: tuple[str, ...] = ()
    gallery: str = ""

    @property
    def query(self) -> str:
        """The state as the explorer itself writes it; raises if it would not accept it."""
        return State.from_query(self.state).to_query()


@dataclass(frozen=True)
class Lecture:
    key: str  # in the bibliography
    title: str
    scenes: tuple[Scene, ...]


_CLEAN = "boundary=0&points=0"

REGIONS = (
    Scene(
        "One layer is an arrangement of lines",
        "Eight neurons, eight lines, and all their crossings in the picture: 37 regions, and the same for every seed, "
        "as long as no three lines meet and no two are parallel.",
        f"{scene_link('zaslavsky-1975')}&{PRESENT}",
        ("zaslavsky-1975", "binomial-sum", "slide-binomial-sum"),
    ),
    Scene(
        "Lines through one point",
        "Without biases all folds of the first layer pass the origin, which is not general position.",
        f"{scene_link('zaslavsky-central')}&{PRESENT}",
        ("zaslavsky-central", "slide-general-position"),
    ),
    Scene(
        "Folds bend at folds",
        "Three layers. Move the depth slider from one to three: the folds of layer 1 bend where they meet those of layer 0.",
        f"widths=6-6-6&folds=1&{_CLEAN}&{PRESENT}",
        ("bent-hyperplanes",),
        "linear-regions",
    ),
    Scene(
        "A folding network",
        "Weights from a proof: each layer folds the square onto itself, and the number of regions multiplies.",
        f"{scene_link('montufar-2014')}&{PRESENT}",
        ("montufar-2014", "pascanu-2014", "slide-at-least"),
    ),
)

LENGTHS = (
    Scene(
        "A line is stretched",
        "Pieces of the segment and the length of its image after each layer. "
        "At He's scale a layer of 64 changes the expected length by one percent.",
        f"{scene_link('relu-length-law')}&{PRESENT}",
        ("relu-length-law", "hanin-jeong-rolnick-2022"),
        "trajectory-length",
    ),
    Scene(
        "Hard-tanh is not ReLU",
        "The same segment through hard-tanh layers: the bound that slides print for ReLU belongs to these.",
        f"{scene_link('raghu-2017-hard-tanh')}&{PRESENT}",
        ("raghu-2017-hard-tanh", "slide-raghu-relu"),
    ),
)

SAWTOOTH = (
    Scene(
        "The sawtooth",
        "Three tents composed: eight pieces from six units. Add a layer of two and the teeth double.",
        f"{scene_link('sawtooth-unit-interval')}&{PRESENT}",
        ("sawtooth-unit-interval", "telgarsky-2015-pieces"),
        "sawtooth",
    ),
    Scene(
        "One hidden layer",
        "Eight units on a line have at most nine pieces, whatever their weights.",
        f"{scene_link('one-hidden-layer-pieces')}&{PRESENT}",
        ("one-hidden-layer-pieces",),
    ),
)

LECTURES = (
    Lecture(
        "oxford-lecture-4",
        "Theories of Deep Learning, lecture 4",
        (
            *REGIONS,
            *LENGTHS,
            Scene(
                "Approximating the square",
                "A network that starts from Yarotsky's weights; press play to see whether training keeps the construction.",
                f"{scene_link('yarotsky-2017-square')}&{PRESENT}",
                ("yarotsky-2017-square",),
                "yarotsky-square",
            ),
            Scene(
                "Compositional functions", "A tree pays for its nodes only.", "", ("effective-dimension",), "compositional-trees"
            ),
            Scene(
                "Intrinsic dimension", "How many numbers describe the data.", "", ("hein-audibert-2005",), "intrinsic-dimension"
            ),
            Scene("Attention", "Scores, weights and their entropy.", "", ("softmax-entropy", "slide-layer-norm"), "attention"),
        ),
    ),
    Lecture(
        "oxford-lecture-15",
        "Theories of Deep Learning, lecture 15",
        (
            *SAWTOOTH,
            Scene(
                "The edge of chaos", "Where signals go deepest.", "", ("poole-2016-phases", "edge-of-chaos-tanh"), "edge-of-chaos"
            ),
            Scene(
                "Singular values of the Jacobian",
                "Free probability against random networks.",
                "",
                ("pennington-2018-spectrum",),
                "jacobian-spectrum",
            ),
            Scene(
                "Optimizers side by side",
                "The same start with momentum; change the optimizer, rewind and play again.",
                f"data=circles&widths=16-16&opt=momentum&rate=0.05&hide=claims&{_CLEAN.replace('points=0', 'points=1')}",
                ("backpropagation",),
            ),
        ),
    ),
    Lecture(
        "washington-lecture",
        "Attention, transformers and approximation",
        (
            Scene(
                "Piecewise-linear functions of two variables",
                "max(|x|, |y|) has four affine pieces; the trained network spends many more regions on it. "
                "The error is the color.",
                f"data=expression&expr=max(abs(x),abs(y))&widths=8-8&step=400&color=error&{PRESENT}",
                ("piecewise-linear-functions", "arora-2018-maximum"),
            ),
            Scene(
                "A sine from straight pieces",
                "One hidden layer after 300 steps: each fold is a kink of the graph.",
                f"data=sine&widths=16&noise=0&step=300&boundary=0&{PRESENT}",
                ("one-hidden-layer-pieces", "threshold-network"),
            ),
            *SAWTOOTH,
            Scene(
                "Barron's theorem",
                "An error that does not know the dimension.",
                "",
                ("barron-rate", "slide-fourier-pair"),
                "barron",
            ),
            Scene("Attention", "One core, four choices.", "", ("attention-special-cases", "slide-score-scale"), "attention"),
        ),
    ),
    Lecture(
        "icerm-2020",
        "Expressivity of neural networks",
        (
            *REGIONS,
            *SAWTOOTH,
            Scene(
                "A random network has few regions",
                "Sixteen neurons in each of three layers: compare the count with the upper bounds beside it.",
                f"{scene_link('hanin-rolnick-2019-plane')}&{PRESENT}",
                ("hanin-rolnick-2019-plane", "hanin-rolnick-2019-line"),
            ),
            Scene(
                "Regions while it learns",
                "Two spirals. Press play: regions, loss and bounds over training; scrub back to the start.",
                f"data=spirals&widths=16-16&{PRESENT}",
                ("hanin-rolnick-2019-training",),
                "regions-while-training",
            ),
            Scene(
                "Distances to folds",
                "Data points and the folds around them, before training; then press play.",
                f"data=moons&widths=16-16&color=gradient&boundary=0&{PRESENT}",
                ("hanin-rolnick-2019-distance", "fold-distance-training"),
                "distance-to-folds",
            ),
            Scene(
                "The perturbed sawtooth",
                "How many teeth survive.",
                "",
                ("sawtooth-perturbed", "sawtooth-relearned"),
                "perturbed-sawtooth",
            ),
        ),
    ),
)
