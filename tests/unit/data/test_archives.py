"""Data sets that mirrors hold as one archive: taken out by name, believed by hash, never written elsewhere."""

import hashlib
import io
import tarfile

import numpy as np
import pytest
from patience import patient
from tests.unit.data.test_fetch import Mirror, sends

import plica.data
from plica.data import FetchFailed
from plica.data._entries import ENTRIES, Entry
from plica.data._files import File

PARTS = {f"part_{i}.bin": np.random.default_rng(i).bytes(50_000) for i in range(3)}
FILES = tuple(File(name, len(part), hashlib.sha256(part).hexdigest(), name) for name, part in PARTS.items())


def archive(members: dict[str, bytes], *, links: tuple[str, ...] = ()) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as tar:
        for name, part in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(part)
            tar.addfile(info, io.BytesIO(part))
        for name in links:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
            tar.addfile(info)
    return stream.getvalue()


WHOLE = archive({"batches/readme.html": b"hello", **{f"batches/{name}": part for name, part in PARTS.items()}})


@pytest.fixture
def serve(monkeypatch, tmp_path):
    started = []

    def start(*answers):
        started.append(Mirror(*answers))
        packed = File("all.tar.gz", len(WHOLE), "", "all.tar.gz")
        entry = Entry("packed", "three files", "none", FILES, (started[-1].address,), ("packed",), archive=packed)
        monkeypatch.setitem(ENTRIES, "packed", entry)
        return plica.data.fetch("packed", root=tmp_path, timeout_s=patient(30))

    monkeypatch.setattr("plica.data._fetch.sleep", lambda seconds: None)
    yield start
    for one in started:
        one.server.shutdown()
        one.server.server_close()


def test_files_are_taken_out_of_the_archive(serve, tmp_path):
    folder = serve(sends(WHOLE))
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.name != ".lock"} == PARTS


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        (archive({name: part for name, part in PARTS.items() if name != "part_1.bin"}), "has no part_1.bin"),
        (archive(PARTS | {"part_2.bin": PARTS["part_2.bin"][::-1]}), "not the published file"),
        (archive({"bomb": bytes(2_000_000), **PARTS}), "holds more than"),
        (archive({}, links=tuple(PARTS)), "has no"),
        (b"\x1f\x8b" + bytes(3000), "no archive"),
        (WHOLE[:40_000], "no archive"),
    ],
)
def test_an_archive_that_is_not_the_published_one_is_refused(serve, tmp_path, sent, words):
    with pytest.raises(FetchFailed, match=words):
        serve(sends(sent))
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} <= {".lock", *PARTS}
    assert not [path for path in tmp_path.rglob("*") if path.is_symlink()]


def test_paths_in_an_archive_lead_nowhere(serve, tmp_path):
    folder = serve(sends(archive({f"../../{name}": part for name, part in PARTS.items()})))
    assert {path.name for path in folder.iterdir()} == {".lock", *PARTS} and len(list(tmp_path.iterdir())) == 1


def test_a_broken_download_of_an_archive_is_resumed(serve):
    calls = []

    def answer(request):
        calls.append(request.headers.get("Range"))
        (sends(WHOLE) if len(calls) > 1 else half)(request)

    def half(request):
        request.send_response(200)
        request.send_header("Content-Length", str(len(WHOLE)))
        request.end_headers()
        request.wfile.write(WHOLE[: len(WHOLE) // 2])

    serve(answer)
    assert calls[0] is None and calls[1] == f"bytes={len(WHOLE) // 2}-"


def test_cifar10_is_read_as_published(monkeypatch):
    folder = plica.data._resolve.locate(ENTRIES["cifar10"], None)  # type: ignore[attr-defined]
    if folder is None:
        pytest.skip("CIFAR-10 is not here: plica data fetch cifar10")
    data = plica.data.load("cifar10")
    assert data.x.shape == (50_000, 3, 32, 32) and data.x_test.shape == (10_000, 3, 32, 32)
    assert np.bincount(data.y).tolist() == [5000] * 10 and np.bincount(data.y_test).tolist() == [1000] * 10
    assert data.x.mean((0, 2, 3)) == pytest.approx([0.4914, 0.4822, 0.4465], abs=1e-4)
