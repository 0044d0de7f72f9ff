"""``plica train``, ``sample``, ``translate`` and ``attend``: a model of one's own in a folder, and its use."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from plica.cli._output import Debug, Json, Output, Quiet, Seed
from plica.errors import InvalidInput

Folder = Annotated[Path, typer.Argument(help="A folder of `plica train`.", show_default=False)]


def train(
    task: Annotated[str, typer.Argument(help="chars, translate, digits, cora or regions.", show_default=False)],
    data: Annotated[Path | None, typer.Option(help="A folder with the data set, or a file; without it a small default.")] = None,
    out: Annotated[Path | None, typer.Option(help="The folder of the training; without it, the name of the task.")] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="How many; without it the task's own number.")] = None,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Train a model in a folder; run again, a training that was cut goes on, bit for bit.

    chars: a GPT that continues a text (tiny Shakespeare in DATA, or any text file). translate: a Transformer from German to
    English (Multi30k). digits: a Vision Transformer (MNIST). cora: a GCN. regions: a ReLU network on points of the plane (a CSV
    file), its regions counted on the way. Each has a small default of about a minute.
    """
    from plica.learn.tasks import train_task

    output = Output("train", as_json=json, quiet=quiet)
    folder = out or Path(f"plica-{task}")
    work = train_task(task, folder, data=data, steps=steps, seed=seed, progress=output.note)
    rows = [("task", task), ("data", work.data), ("steps", f"{work.fit.n_steps:,}")]
    rows += [("loss", f"{work.fit.history.last['loss']:.4g}")]
    rows += [(name.replace("_", " "), f"{value:.4g}") for name, value in work.result.items()]
    rows += [("processor seconds", f"{work.fit.processor_seconds:.1f}"), ("folder", str(folder))]
    result = {"task": task, "data": work.data, "n_steps": work.fit.n_steps, "folder": str(folder), **work.result}
    output.result(_table(rows), result)


def _table(rows: list[tuple[str, str]]) -> Any:
    from rich.table import Table

    table = Table(show_header=False, box=None, pad_edge=False)
    for name, value in rows:
        table.add_row(name, value)
    return table


def sample(
    folder: Folder,
    prompt: Annotated[str, typer.Option(help="What the text begins with.")] = "",
    length: Annotated[int, typer.Option(min=1, help="Characters to write; more than the context are fine.")] = 400,
    temperature: Annotated[float, typer.Option(help="Below 1 likelier, above 1 wilder.")] = 0.8,
    top_k: Annotated[int | None, typer.Option(min=1, help="Only the so many likeliest.")] = None,
    seed: Seed = 0,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Let a model trained on chars continue a text."""
    from plica.learn.tasks import alphabet_of, continued

    start = prompt or next((c for c in "\n " if c in alphabet_of(folder)), alphabet_of(folder)[0])
    text = continued(folder, start, n_characters=length, temperature=temperature, top_k=top_k, seed=seed)
    Output("sample", as_json=json, quiet=False).result(_plain(text), {"text": text, "seed": seed})


def translate(
    folder: Folder,
    sentences: Annotated[list[str], typer.Argument(help="Sentences to translate.", show_default=False)],
    width: Annotated[int, typer.Option(min=1, max=64, help="Beams that are kept.")] = 4,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Translate sentences with a model trained on translate."""
    from plica.learn.tasks import translated

    found = translated(folder, sentences, width=width)
    Output("translate", as_json=json, quiet=False).result(_plain("\n".join(found)), {"translations": found})


def attend(
    folder: Folder,
    text: Annotated[str, typer.Argument(help="A text, a sentence, or an image (.npy, or a digit's number).", show_default=False)],
    out: Annotated[Path, typer.Option(help="The page to write, .html.")] = Path("attention.html"),
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Show where each head of a trained model looks, as a page: in a text (chars), a sentence (translate), an image (digits)."""
    from plica.learn.tasks import attention_maps
    from plica.report import attention_page

    if out.suffix != ".html":
        raise InvalidInput(f"--out {out}: the name must end in .html.")
    maps = attention_maps(folder, text)
    out.write_text(attention_page(maps, title="Where it looks", about=text), encoding="utf-8")
    n_heads = len(maps) - maps[0].is_picture  # an image comes first
    rows = [("heads", str(n_heads)), ("written", str(out))]
    Output("attend", as_json=json, quiet=quiet).result(_table(rows), {"n_heads": n_heads, "out": str(out)})


def _plain(text: str) -> Any:
    from rich.text import Text

    return Text(text)
