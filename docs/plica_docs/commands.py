"""Every command with its example, its help and its options, from the command line itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from typer.main import get_command

from plica.cli import app

EVERYWHERE = ("--json", "--quiet", "--debug")  # options that commands share, told once


@dataclass(frozen=True)
class Command:
    """One command: how it is called, an example, its paragraphs (the first says what it does), its options with their help."""

    name: str
    usage: str
    example: str
    text: tuple[str, ...]
    options: tuple[tuple[str, str], ...]

    @property
    def anchor(self) -> str:
        return self.name.removeprefix("plica ").replace(" ", "-")


def commands() -> tuple[Command, ...]:
    """All commands in the order of ``plica --help``, those of groups after each other.

    >>> [command.name for command in commands()][:3]
    ['plica demo', 'plica regions', 'plica compare']
    """
    return tuple(_walk(get_command(app), "plica"))


def shared() -> tuple[tuple[str, str], ...]:
    """The options that commands share, as ``plica report`` tells them."""
    group: Any = get_command(app)
    report = group.commands["report"]
    return _options(report, "plica report", shared=True)


def _walk(command: Any, name: str) -> Iterator[Command]:
    below = getattr(command, "commands", {})
    for word, each in below.items():
        yield from _walk(each, f"{name} {word}")
    if below:
        return
    context = command.context_class(command, info_name=name)
    first, _, rest = (command.help or "").partition("\n\n")
    text = tuple(" ".join(paragraph.split()) for paragraph in rest.split("\n\n"))
    usage = " ".join([name, *(piece.replace("{", "").replace("}", "") for piece in command.collect_usage_pieces(context))])
    yield Command(name, usage, first.removeprefix("Example: "), text, _options(command, name, shared=False))


def _options(command: Any, name: str, *, shared: bool) -> tuple[tuple[str, str], ...]:
    context = command.context_class(command, info_name=name)
    told = filter(None, (each.get_help_record(context) for each in command.params))
    return tuple((left, " ".join(text.split())) for left, text in told if left.endswith(EVERYWHERE) is shared)
