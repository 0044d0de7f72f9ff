"""A drawing of a model from the model itself: it is run once, without memory, and what is called becomes boxes with sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any

from plica.errors import InvalidInput
from plica.lectures._tree import TREE, TreeDiagram, tree_diagram

if TYPE_CHECKING:
    from torch import nn

_WIDTH, _ROW, _STEP, _INDENT = 460, 26, 33, 26  # pixels: of a box, its height, from box to box, of what is inside


_IDLE = ("Dropout", "Identity")  # they do nothing when a model is used, and are not drawn


@dataclass
class Box:
    """A module that was called: its class, the shape of what it returned, its parameters, and what it called itself.

    ``name`` is what its owner calls it, ``module`` its identity: a module that is called again brings no new parameters.
    """

    kind: str
    shape: str
    n_parameters: int
    inside: list[Box] = field(default_factory=list)
    times: int = 1
    name: str = ""
    module: int = 0
    is_shared: bool = False

    @property
    def total(self) -> int:
        """Parameters of all of them."""
        return self.n_parameters if self.is_shared else self.times * self.n_parameters

    def is_like(self, other: Box) -> bool:
        """Whether both are drawn as one, so many times."""
        return (self.kind, self.shape, self.n_parameters) == (other.kind, other.shape, other.n_parameters)


@dataclass(frozen=True)
class Diagram:
    """The boxes of a model in the order in which they are called.

    Examples
    --------
    >>> from plica.lectures import diagram
    >>> picture = diagram("lenet-5")
    >>> picture.n_parameters, [box.kind for box in picture.boxes][:4]
    (61706, ['Conv2d', 'ReLU', 'MaxPool2d', 'Conv2d'])
    """

    name: str
    n_parameters: int
    boxes: tuple[Box, ...]

    def svg(self) -> str:
        """The drawing as an SVG element; colors are those of the page."""
        rows = _rows(self.boxes)
        height = _STEP * len(rows) + 4
        parts = [_drawn(box, _INDENT * depth, _STEP * i, f"depth-{depth}") for i, (box, depth) in enumerate(rows)]
        label = f"{self.name}: {self.n_parameters:,} parameters, drawn from the model"
        return (
            f'<svg class="diagram" viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(label)}">{"".join(parts)}</svg>'
        )


def diagram(name: str) -> Diagram | TreeDiagram:
    """The drawing of a system that the lectures show."""
    if name == TREE:
        return tree_diagram()
    makers = _makers()
    if name not in makers:
        raise InvalidInput(f"no diagram {name!r}.", hint=f"one of {', '.join((*makers, TREE))}")
    import torch

    with torch.device("meta"):
        model, inputs = makers[name]()
        return trace(name, model, inputs)


def trace(name: str, model: nn.Module, inputs: tuple[Any, ...]) -> Diagram:
    """Run a model and keep which modules were called inside which."""
    import torch

    top = Box(type(model).__name__, "", sum(p.numel() for p in model.parameters()))
    open_boxes = [top]
    hooks = []

    names = {id(module): path.rpartition(".")[2] for path, module in model.named_modules()}

    def enter(module: nn.Module, given: Any) -> None:
        name = names[id(module)]
        box = Box(
            type(module).__name__,
            "",
            sum(p.numel() for p in module.parameters()),
            name="" if name.isdigit() else name.replace("_", " "),
            module=id(module),
        )
        open_boxes[-1].inside.append(box)
        open_boxes.append(box)

    def leave(module: nn.Module, given: Any, result: Any) -> None:
        open_boxes.pop().shape = _shape(result)

    for module in model.modules():
        if module is not model:
            hooks += [module.register_forward_pre_hook(enter), module.register_forward_hook(leave)]
    try:
        with torch.no_grad():
            model.eval()(*inputs)
    finally:
        for hook in hooks:
            hook.remove()
    return Diagram(name, top.n_parameters, tuple(_together(top.inside)))


def _together(boxes: list[Box]) -> list[Box]:
    """Neighbors that are alike become one, with how many there are; so do two or three that take turns."""
    boxes = [box for box in boxes if box.kind not in _IDLE]
    for box in boxes:
        box.inside = _together(box.inside)
    found: list[Box] = []
    while boxes:
        period, times = next(((p, n) for p in (1, 2, 3) if (n := _turns(boxes, p)) > 1), (1, 1))
        turn, rest = boxes[:period], boxes[period * times :]
        is_shared = times > 1 and all(box.module == turn[i % period].module for i, box in enumerate(boxes[: period * times]))
        if period == 1:
            name = turn[0].name if times == 1 or is_shared else ""
            found.append(replace(turn[0], times=times, is_shared=is_shared, name=name))
        else:
            size = sum(box.total for box in turn)
            found.append(Box("in turn", turn[-1].shape, size, turn, times, is_shared=is_shared))
        boxes = rest
    return found


def _turns(boxes: list[Box], period: int) -> int:
    """How often the first boxes come in a row; where several take turns, under the same names."""

    def comes_again(first: Box, later: Box) -> bool:
        return first.is_like(later) and (period == 1 or first.name == later.name)

    n = 1
    while len(boxes) >= (n + 1) * period and all(comes_again(boxes[i], boxes[n * period + i]) for i in range(period)):
        n += 1
    return n


def _rows(boxes: tuple[Box, ...], depth: int = 0) -> list[tuple[Box, int]]:
    """The boxes that are drawn, with how deep they lie: what is inside is shown to the second level."""
    found = []
    for box in boxes:
        found.append((box, depth))
        if depth < 2:
            found += _rows(tuple(box.inside), depth + 1)
    return found


def _drawn(box: Box, inset: int, top: int, style: str) -> str:
    """A box with its name at the left and its shape and size at the right."""
    return (
        f'<rect x="{1 + inset}" y="{top + 2}" width="{_WIDTH - 2 - 2 * inset}" height="{_ROW}" rx="5" class="box {style}"/>'
        f'<text x="{12 + inset}" y="{top + 20}">{escape(_told(box))}{_named(box)}</text>'
        f'<text x="{_WIDTH - 110 - inset}" y="{top + 20}" text-anchor="end" class="size">{escape(box.shape)}</text>'
        f'<text x="{_WIDTH - 12 - inset}" y="{top + 20}" text-anchor="end">{_size(box)}</text>'
    )


def _told(box: Box) -> str:
    return f"{box.times} × {box.kind}" if box.times > 1 else box.kind


def _named(box: Box) -> str:
    """What its owner calls it, unless that says no more than its class; and whether weights are used again."""
    words = "" if box.name.replace(" ", "") == box.kind.lower() else box.name
    words += (", " if words else "") + "same weights" if box.is_shared and box.n_parameters else ""
    return f'<tspan dx="8" class="size">{escape(words)}</tspan>' if words else ""


def _size(box: Box) -> str:
    return f"{box.total:,}" if box.n_parameters else ""


def _shape(result: Any) -> str:
    while isinstance(result, tuple | list) and result:
        result = result[0]
    return " × ".join(map(str, result.shape[1:])) if hasattr(result, "shape") else ""


def _makers() -> dict[str, Callable[[], tuple[nn.Module, tuple[Any, ...]]]]:
    """From the names of systems to the model and inputs of one example."""
    import torch

    from plica.models.recurrent import Seq2Seq, Seq2SeqConfig
    from plica.models.transformer import GPT, Transformer
    from plica.models.vision import ResNet, Swin, VisionTransformer

    def tokens(length: int) -> Any:
        return torch.zeros(1, length, dtype=torch.long)

    def images(side: int) -> Any:
        return torch.zeros(1, 3, side, side)

    def translator() -> tuple[nn.Module, tuple[Any, ...]]:
        with torch.device("cpu"):  # lengths of texts decide what it does, so it is really run
            return Seq2Seq(Seq2SeqConfig(1000, 1000)), (tokens(12) + 3, tokens(9) + 3)

    return {
        "gpt3-small": lambda: (GPT.from_preset("gpt3-small"), (tokens(2048),)),
        "transformer-base": lambda: (Transformer.from_preset("transformer-base"), (tokens(32), tokens(24))),
        "seq2seq": translator,
        "vit-b16": lambda: (VisionTransformer.from_preset("vit-b16"), (images(224),)),
        "swin-t": lambda: (Swin.from_preset("swin-t"), (images(224),)),
        "resnet-34": lambda: (ResNet.from_preset("resnet-34"), (images(224),)),
        "lenet-5": lambda: (_lenet(), (torch.zeros(1, 1, 28, 28),)),
    }


def _lenet() -> nn.Module:
    """LeNet-5 with ReLU and maxima, as it is trained today."""
    from torch import nn

    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
    )  # fmt: skip
