"""What a worker can do: pictures, exports, files, claims."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from plica._parallel import at_most
from plica._types import Array
from plica.errors import InvalidInput
from plica.web._frames import pack, unpack
from plica.web._limits import Limits
from plica.web._picture import picture
from plica.web._scene import Scene, load_model, load_rows, scene_of
from plica.web._state import State
from plica.web.views import sheet_of

Reply = tuple[dict[str, Any], dict[str, Array], bytes]

FIRST_PICTURES = ("widths=4-4&step=1&segment=-1,-1,1,1", "data=sine&widths=4")
OTHER_PICTURES = ("widths=32-32-32", "widths=4-4&act=hard-tanh", "data=sine&widths=64-64")
OTHER_VIEWS = ("view=complex&widths=2", "view=robust&widths=2", "view=weights&widths=2&n=10")
"""Wide layers, folds with three states and wide lines have kernels of their own."""


class Jobs:
    """The jobs by name; each takes a header and gives facts, arrays and what the server keeps for later."""

    def __init__(self, limits: Limits, folder: Path) -> None:
        self.limits, self.folder = limits, folder
        self._table: dict[str, Callable[[dict[str, Any], bytes | None], Reply]] = {
            "picture": self._picture,
            "map": self._map,
            "cell": self._cell,
            "export": self._export,
            "file": self._file,
            "check": self._check,
            "view": self._view,
            "grade": self._grade,
            "images": self._images,
        }

    def warm_up(self, *, is_thorough: bool = True) -> None:
        """Import and compile what the first picture needs, and what any picture needs, however long it takes.

        A job that had to compile first would use up its time, on a slow machine again and again.
        """
        patient = replace(self.limits, max_seconds=float("inf"))
        for query in FIRST_PICTURES + (OTHER_PICTURES if is_thorough else ()):
            picture(scene_of(State.from_query(query), self.file), patient)
        if is_thorough:
            for query in OTHER_VIEWS:
                state = State.from_query(query)
                sheet_of(state, lambda state=state: scene_of(state, self.file), patient)  # type: ignore[misc]
            import torch  # noqa: F401 the view of attention needs it, and an import must not be interrupted

    def file(self, digest: str) -> bytes:
        """The content of a file that was dropped on the page; digests are checked to be hexadecimal before."""
        try:
            return (self.folder / digest).read_bytes()
        except OSError:
            raise InvalidInput("the link refers to a file that this server does not have.", hint="drop the file again") from None

    def run(self, message: bytes) -> tuple[bytes, bytes]:
        """Answer one message."""
        header, arrays = unpack(message)
        start = arrays["checkpoint"].tobytes() if "checkpoint" in arrays else None
        began = time.perf_counter()
        with at_most(1):
            facts, out, kept = self._table[header["job"]](header, start)
        return pack({"ok": True, **facts, "job_seconds": round(time.perf_counter() - began, 5)}, out), kept

    def _scene(self, header: dict[str, Any], start: bytes | None) -> tuple[Scene, bytes]:
        scene = scene_of(State.from_query(header["state"]), self.file, start)
        return scene, scene.checkpoint.to_bytes() if scene.checkpoint is not None else b""

    def _picture(self, header: dict[str, Any], start: bytes | None) -> Reply:
        scene, kept = self._scene(header, start)
        return *picture(scene, self.limits), kept

    def _map(self, header: dict[str, Any], start: bytes | None) -> Reply:
        from plica.web._map import map_part

        scene, kept = self._scene(header, start)
        return *map_part(scene, header["part"], self.limits), kept

    def _view(self, header: dict[str, Any], start: bytes | None) -> Reply:
        from plica.web._lessons import reading_of

        state = State.from_query(header["state"])
        kept = b""

        def scene() -> Scene:
            nonlocal kept
            built, kept = self._scene(header, start)
            return built

        sheet = sheet_of(state, scene, self.limits)
        facts, arrays = sheet.packed()
        return facts | {"query": state.to_query(), "reading": reading_of(state, sheet)}, arrays, kept

    def _cell(self, header: dict[str, Any], start: bytes | None) -> Reply:
        from plica.web._describe import describe_cell

        scene, kept = self._scene(header, start)
        return describe_cell(scene, int(header["cell"]), self.limits), {}, kept

    def _export(self, header: dict[str, Any], start: bytes | None) -> Reply:
        from plica.web._exports import export

        scene, kept = self._scene(header, start)
        name, mime, content = export(scene, header["format"], self.limits, model_name=header.get("model_name", ""))
        return {"name": name, "mime": mime}, {"content": np.frombuffer(content, np.uint8)}, kept

    def _file(self, header: dict[str, Any], start: bytes | None) -> Reply:
        """Look at a dropped file: is it what it says it is?"""
        digest, kind = header["digest"], header["kind"]
        if kind == "model":
            network = load_model(digest, self.file)
            facts = {"widths": list(network.widths)[:64], "n_inputs": network.n_inputs, "n_outputs": network.n_outputs}
            return facts | {"n_layers": len(network.layers), "n_parameters": network.n_parameters}, {}, b""
        if kind == "rows":
            rows = load_rows(digest, self.file)
            return {"n_rows": len(rows), "n_inputs": rows.shape[1]}, {}, b""
        from plica.web._table import read_table

        x, _, names = read_table(self.file(digest))
        return {"n_rows": len(x), "n_inputs": x.shape[1], "class_names": list(names)}, {}, b""

    def _grade(self, header: dict[str, Any], start: bytes | None) -> Reply:
        from plica.web._exercises import graded

        return graded(header, self.file), {}, b""

    def _images(self, header: dict[str, Any], start: bytes | None) -> Reply:
        from plica.web._images import images

        return *images(State.from_query(header["state"]), int(header["first"]), self.file), b""

    def _check(self, header: dict[str, Any], start: bytes | None) -> Reply:
        from plica.claims import catalog

        evidence = catalog()[header["claim"]].check("quick")
        return {"evidence": evidence.to_dict()}, {"svg": np.frombuffer(evidence.svg().encode(), np.uint8)}, b""
