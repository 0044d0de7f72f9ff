"""``plica exercise``: tasks that the engine grades."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plica.cli._app import CHECK_FAILED
from plica.cli._output import Debug, Json, Output, Quiet
from plica.errors import InvalidInput

if TYPE_CHECKING:
    from plica.exercises import Exercise

_ANSWERS = {"network": "a .safetensors or .onnx file", "numbers": "numbers with commas between"}


def exercise(
    id: Annotated[str | None, typer.Argument(metavar="[EXERCISE]", help="An exercise; the list without it.")] = None,
    answer: Annotated[
        str | None, typer.Option(metavar="FILE|NUMBERS", help="A .safetensors or .onnx file, or numbers with commas between.")
    ] = None,
    given: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the network of the task: .safetensors; where there are several, one file each."),
    ] = None,
    lecture: Annotated[str | None, typer.Option(help="List the exercises of one lecture.")] = None,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """List exercises, read one, or have an answer graded exactly.

    The exit code is 0 for a right answer and 1 for a wrong one.
    """
    from plica.exercises import exercise as find
    from plica.exercises import exercises

    voice = Output("exercise", as_json=json, quiet=quiet)
    if id is None:
        if answer is not None or given is not None:
            raise InvalidInput("which exercise?", hint="plica exercise EXERCISE --answer ...")
        listed = exercises(lecture)
        lines = [f"{each.lecture:<11} {each.id:<22} {each.title} ({each.kind})" for each in listed]
        voice.result("\n".join(lines), {"exercises": [_told(each) for each in listed]})
        return
    chosen = find(id)
    if given is not None:
        for name, path in _write_given(chosen, given).items():
            voice.note(f"the given {name}: {path}")
    if answer is None:
        several = "networks" if len(chosen.given) > 1 else "network"
        hint = f"--given FILE writes the {several} of the task; " if chosen.given else ""
        title = f"{chosen.title}  ({chosen.id}, lecture {chosen.lecture})"  # brackets would be read as a style
        voice.result(f"{title}\n\n{chosen.task}\n\n{hint}--answer grades {_ANSWERS[chosen.kind]}.", _told(chosen))
        return
    found = chosen.grade(_read(answer, chosen))
    voice.result(
        f"{'right' if found else 'not yet'}: {found.why}.",
        {"id": id, "right": found.is_right, "why": found.why, "facts": found.facts},
    )
    if not found:
        raise typer.Exit(CHECK_FAILED)


def _told(each: Exercise) -> dict[str, Any]:
    return {"id": each.id, "lecture": each.lecture, "title": each.title, "task": each.task, "answer": each.kind}


def _write_given(chosen: Exercise, path: Path) -> dict[str, Path]:
    """The files of the given networks by name: the path itself, or one for each, with the name in it, where there are several."""
    import plica

    if not chosen.given:
        raise InvalidInput(f"{chosen.id} gives no network.", hint="leave out --given")
    several = len(chosen.given) > 1
    paths = {name: path.with_name(f"{path.stem}-{name}{path.suffix}") if several else path for name in chosen.given}
    for name, network in chosen.given.items():
        plica.save(network(), paths[name])
    return paths


def _read(answer: str, chosen: Exercise) -> Any:
    import plica

    if chosen.kind == "network":
        return plica.load(answer)
    try:
        return [float(part) for part in answer.split(",")]
    except ValueError:
        raise InvalidInput(f"--answer {answer!r} is not a list of numbers.", hint="for example --answer 3,0.5") from None
