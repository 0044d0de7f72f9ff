"""What a trained model is used for: continuing a text, translating, showing where it looks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import torch

from plica._torch_threads import one_thread
from plica.errors import InvalidInput
from plica.learn.tasks._image import Map, image_maps
from plica.learn.tasks._prepare import ALPHABET, TOKENS
from plica.learn.tasks._translation import END, START, padded, translate
from plica.learn.tasks._work import read_settings, trained_model
from plica.models.attention import record
from plica.models.decoding import beam, sample
from plica.models.text import BytePairEncoding


def alphabet_of(folder: str | Path) -> str:
    """The characters that a training of ``chars`` knows."""
    task = read_settings(Path(folder))["task"]
    if task != "chars":
        raise InvalidInput(f"{folder} holds a training of {task!r}.", hint="this needs 'chars'")
    try:
        found = json.loads((Path(folder) / ALPHABET).read_text(encoding="utf-8"))["alphabet"]
        if not isinstance(found, str) or not found:
            raise ValueError("it is empty")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"{folder} has no alphabet: {error}.", hint="train it again: plica train chars") from None
    return found


def continued(
    folder: str | Path, prompt: str, *, n_characters: int = 400, temperature: float = 0.8, top_k: int | None = None, seed: int = 0
) -> str:
    """The prompt and what a model trained on ``chars`` writes after it, however long."""
    model, alphabet = trained_model(folder, "chars"), alphabet_of(folder)
    if n_characters < 1:
        raise InvalidInput(f"{n_characters} characters.", hint="give a positive number")
    unknown = sorted(set(prompt) - set(alphabet))
    if unknown or not prompt:
        what = f"the character {unknown[0]!r} did not occur in the text" if unknown else "the prompt is empty"
        raise InvalidInput(f"{what}.", hint="the alphabet is " + "".join(c for c in alphabet if c.isprintable()))
    codes = torch.tensor([[alphabet.index(c) for c in prompt]])
    with one_thread():
        found = sample(model, codes, max_length=n_characters, seed=seed, temperature=temperature, top_k=top_k)  # type: ignore[arg-type]
    return prompt + "".join(alphabet[i] for i in found.tokens[0])


def translated(folder: str | Path, sentences: Sequence[str], *, width: int = 4) -> list[str]:
    """Translations of sentences by a model trained on ``translate``."""
    model = trained_model(folder, "translate")
    return translate(model, BytePairEncoding.load(Path(folder) / TOKENS), sentences, width=width)


def attention_maps(folder: str | Path, text: str) -> list[Map]:
    """Where each head of a model looks: at a text, at a sentence while it translates it, or at an image (``digits``)."""
    task = read_settings(Path(folder))["task"]
    model = trained_model(folder, "chars", "translate", "digits")
    if task == "digits":
        with one_thread():
            return image_maps(model, text)
    with torch.no_grad(), one_thread():
        if task == "chars":
            alphabet = alphabet_of(folder)
            unknown = sorted(set(text) - set(alphabet))
            most = model.config.max_length
            if unknown or not 0 < len(text) <= most:
                what = f"the character {unknown[0]!r} did not occur" if unknown else f"{len(text)} characters"
                raise InvalidInput(f"{what}.", hint=f"give 1 to {most} characters of the text that was trained on")
            with record(model) as seen:
                model(torch.tensor([[alphabet.index(c) for c in text]]))
            names = across = tuple(c if c != "\n" else "↵" for c in text)
            wanted = seen.names
        else:
            bpe = BytePairEncoding.load(Path(folder) / TOKENS)
            source = padded([bpe.encode(text)[:80] or [END]])
            written = list(beam(model, source, max_length=80).tokens[0])  # type: ignore[arg-type]
            with record(model) as seen:
                model(source, padded([[START, *written]]))
            across = tuple(bpe.text([t]).strip() or "␣" for t in source[0].tolist())
            names = tuple(bpe.text([t]).strip() or "␣" for t in [*written, END])
            wanted = tuple(name for name in seen.names if "cross" in name)
    maps = []
    for name in wanted:
        weights = seen[name].weights[0].double().numpy()
        maps += [Map(f"{name}, head {h}", head, names, across) for h, head in enumerate(weights)]
    return maps
