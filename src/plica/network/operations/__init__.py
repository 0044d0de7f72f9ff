"""What each operation is: one file tells its shape, its numbers, how it is evaluated, bounded, transposed and, if it folds,
which forms cut and which affine piece a state chooses. Nothing outside this package needs to know which operation it has.
"""

from plica.network.operations._affine import Affine
from plica.network.operations._clip import Clip
from plica.network.operations._conv import Conv
from plica.network.operations._fold import Calculus, Fold
from plica.network.operations._forms import EntryForms, Pieces
from plica.network.operations._joins import Add, Concat
from plica.network.operations._linear import Linear, spectral_norm_bound
from plica.network.operations._max import Max
from plica.network.operations._moves import Gather, Pad, Permute, Reshape
from plica.network.operations._op import Input, Op, Shape, Stored, largest_magnitude, numbered_rows
from plica.network.operations._rectifier import Rectifier
from plica.network.operations._scale import Scale
from plica.network.operations._window_sum import WindowSum

OPERATIONS: dict[str, type[Op]] = {
    op.kind: op for op in (Linear, Conv, Scale, WindowSum, Reshape, Permute, Pad, Gather, Concat, Add, Rectifier, Clip, Max)
}
"""Every operation that a network may hold after its input, by its kind in files."""

__all__ = [
    "OPERATIONS",
    "Add",
    "Affine",
    "Calculus",
    "Clip",
    "Concat",
    "Conv",
    "EntryForms",
    "Fold",
    "Gather",
    "Input",
    "Linear",
    "Max",
    "Op",
    "Pad",
    "Permute",
    "Pieces",
    "Rectifier",
    "Reshape",
    "Scale",
    "Shape",
    "Stored",
    "WindowSum",
    "largest_magnitude",
    "numbered_rows",
    "spectral_norm_bound",
]
