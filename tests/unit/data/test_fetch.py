"""Downloads from a real server on this machine: one that works, breaks, lies, stalls or offers too much."""

import gzip
import hashlib
import json
import multiprocessing
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from patience import patient
from typer.testing import CliRunner

import plica.data
from plica.cli import app
from plica.data import FetchFailed
from plica.data._entries import ENTRIES, Entry
from plica.data._files import File
from plica.errors import InvalidInput

TEXT = np.random.default_rng(0).integers(32, 127, 300_000, dtype=np.uint8).tobytes()
PACKED = gzip.compress(TEXT)
FILE = File("input.txt", len(TEXT), hashlib.sha256(TEXT).hexdigest(), "input.txt.gz")


class Mirror:
    """A server with a script: ``answers`` are functions of the request handler, one each, the last one for the rest."""

    def __init__(self, *answers):
        self.answers, self.ranges = list(answers), []
        mirror = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.0"

            def do_GET(self):
                mirror.ranges.append(self.headers.get("Range"))
                answer = mirror.answers[0] if len(mirror.answers) == 1 else mirror.answers.pop(0)
                try:
                    answer(self)
                except (BrokenPipeError, ConnectionResetError):
                    pass

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/data/"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()


def start_of(request):
    asked = request.headers.get("Range")
    return int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0


def good(request, contents=PACKED):
    """As servers do: the rest of the file if a part is asked for."""
    start = start_of(request)
    if start >= len(contents):
        request.send_error(416)
        return
    request.send_response(206 if start else 200)
    if start:
        request.send_header("Content-Range", f"bytes {start}-{len(contents) - 1}/{len(contents)}")
    request.send_header("Content-Length", str(len(contents) - start))
    request.end_headers()
    request.wfile.write(contents[start:])


def breaks(after):
    """Promises everything and hangs up in the middle."""

    def answer(request):
        start = start_of(request)
        request.send_response(206 if start else 200)
        if start:
            request.send_header("Content-Range", f"bytes {start}-{len(PACKED) - 1}/{len(PACKED)}")
        request.send_header("Content-Length", str(len(PACKED) - start))
        request.end_headers()
        request.wfile.write(PACKED[start : start + after])

    return answer


def ignores_ranges(request):
    request.send_response(200)
    request.send_header("Content-Length", str(len(PACKED)))
    request.end_headers()
    request.wfile.write(PACKED)


def silent_about_length(after=None):
    def answer(request):
        request.send_response(200)
        request.end_headers()
        request.wfile.write(PACKED[:after])

    return answer


def sends(contents):
    return lambda request: good(request, contents)


def error(code):
    return lambda request: request.send_error(code)


def stalls(request):
    request.send_response(200)
    request.send_header("Content-Length", str(len(PACKED)))
    request.end_headers()
    request.wfile.write(PACKED[:100])
    request.wfile.flush()
    request.connection.settimeout(patient(30))
    request.rfile.read(1)  # says no more until the other side hangs up


def other_part(request):
    request.send_response(206)
    request.send_header("Content-Range", f"bytes 7-{len(PACKED) - 1}/{len(PACKED)}")
    request.send_header("Content-Length", str(len(PACKED) - 7))
    request.end_headers()
    request.wfile.write(PACKED[7:])


@pytest.fixture
def mirror(monkeypatch, tmp_path):
    """Make a mirror with a script, the only one there is; its data set is ``tinyshakespeare``."""
    started = []

    def start(*answers):
        started.append(Mirror(*answers))
        entry = Entry("tinyshakespeare", "a text", "none", (FILE,), tuple(m.address for m in started), ("tiny",))
        monkeypatch.setitem(ENTRIES, "tinyshakespeare", entry)
        return started[-1]

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("PLICA_DATA", raising=False)
    monkeypatch.setattr("plica.data._resolve.SYSTEM_FOLDERS", ())
    monkeypatch.setattr("plica.data._fetch.sleep", lambda seconds: None)
    yield start
    for one in started:
        one.server.shutdown()
        one.server.server_close()


def fetch(**options):
    return plica.data.fetch("tinyshakespeare", **{"timeout_s": patient(30), **options})


def contents(folder):
    return sorted(path.name for path in folder.iterdir() if path.name != ".lock")


def test_a_fetched_file_is_loaded_from_the_cache_and_not_fetched_twice(mirror, tmp_path):
    server = mirror(good)
    folder = fetch()
    assert folder == tmp_path / "cache" / "plica" / "data" / "tiny" and contents(folder) == ["input.txt"]
    assert plica.data.load("tinyshakespeare").text.encode() == TEXT
    fetch()
    assert server.ranges == [None]


def test_a_connection_that_breaks_is_resumed_from_where_it_was(mirror):
    server = mirror(breaks(100_000), breaks(50_000), good)
    seen = []
    folder = fetch(progress=lambda file, have, total: seen.append(have))
    assert server.ranges == [None, "bytes=100000-", "bytes=150000-"]
    assert seen == sorted(seen) and seen[-1] == len(PACKED)
    assert contents(folder) == ["input.txt"]


def test_a_download_that_failed_is_resumed_by_the_next_call(mirror):
    server = mirror(breaks(40_000))
    with pytest.raises(FetchFailed, match="broke after 120,000"):
        fetch()
    server.answers[:] = [good]
    fetch()
    assert server.ranges[-1] == "bytes=120000-"


def test_a_mirror_that_cannot_resume_sends_all_again(mirror):
    server = mirror(breaks(100_000), ignores_ranges)
    assert contents(fetch()) == ["input.txt"] and len(server.ranges) == 2


def test_a_mirror_that_sends_another_part_is_asked_for_everything(mirror):
    server = mirror(breaks(100_000), other_part, good)
    fetch()
    assert server.ranges == [None, "bytes=100000-", None]


def test_an_answer_without_length_that_ends_early_is_asked_for_the_rest(mirror):
    server = mirror(silent_about_length(60_000), good)
    fetch()
    assert server.ranges == [None, "bytes=60000-"]


def test_an_answer_without_length_that_is_whole_is_taken(mirror):
    server = mirror(silent_about_length())
    assert contents(fetch()) == ["input.txt"] and server.ranges == [None]


@pytest.mark.parametrize(
    "bad",
    [
        sends(gzip.compress(TEXT[:-1] + b"?")),
        sends(gzip.compress(TEXT + b"more")),
        sends(gzip.compress(TEXT[:1000])),
        sends(PACKED[:-1000]),
        sends(PACKED[:5000] + bytes(5000) + PACKED[10_000:]),
        sends(b"<html>please log in</html>"),
        sends(b""),
        sends(gzip.compress(bytes(80_000_000))),
        error(404),
        error(403),
        error(500),
        error(503),
    ],
    ids=["byte", "longer", "shorter", "cut", "hole", "page", "empty", "bomb", "404", "403", "500", "503"],
)
def test_a_bad_mirror_is_told_apart_and_the_next_one_is_asked(mirror, bad, tmp_path):
    mirror(bad)
    with pytest.raises(FetchFailed) as caught:
        fetch()
    assert FILE.sha256 in str(caught.value) and "127.0.0.1" in str(caught.value)
    assert "input.txt" not in contents(tmp_path / "cache" / "plica" / "data" / "tiny")
    mirror(good)  # a second mirror, after the bad one
    folder = fetch()
    assert contents(folder) == ["input.txt"] and (folder / "input.txt").read_bytes() == TEXT


def test_a_mirror_that_falls_silent_is_left_and_what_it_sent_is_kept(mirror):
    server = mirror(stalls)
    with pytest.raises(FetchFailed, match="timed out"):
        fetch(timeout_s=0.4)
    server.answers[:] = [good]
    folder = fetch()
    assert contents(folder) == ["input.txt"] and (folder / "input.txt").read_bytes() == TEXT


def test_an_endless_answer_is_cut_off(mirror):
    def endless(request):
        request.send_response(200)
        request.end_headers()
        for _ in range(10_000):
            request.wfile.write(bytes(65536))

    mirror(endless)
    with pytest.raises(FetchFailed, match="more bytes than the file can have"):
        fetch()


def test_an_offer_of_gigabytes_is_declined_before_a_byte_is_read(mirror):
    def huge(request):
        request.send_response(200)
        request.send_header("Content-Length", str(10**12))
        request.end_headers()

    server = mirror(huge)
    with pytest.raises(FetchFailed, match="more than the file can have"):
        fetch()
    assert len(server.ranges) == 1


def test_nothing_listening_is_one_error_and_not_a_traceback(mirror):
    server = mirror(good)
    server.server.shutdown()
    server.server.server_close()
    result = CliRunner().invoke(app, ["data", "fetch", "tinyshakespeare", "--timeout", "0.3"])
    assert result.exit_code == 2 and "no mirror gave input.txt" in result.stderr and "Traceback" not in result.output


def test_a_part_from_an_earlier_day_with_other_bytes_is_thrown_away(mirror):
    server = mirror(breaks(1000))
    with pytest.raises(FetchFailed):
        fetch()
    (part,) = plica.data._resolve.user_cache().glob("tiny/.*.part")
    part.write_bytes(b"x" * 200_000)
    server.answers[:] = [good]
    fetch()
    assert server.ranges[-2:] == ["bytes=200000-", None]


def test_a_damaged_file_is_replaced(mirror, tmp_path):
    mirror(good)
    (tmp_path / "mine" / "tiny").mkdir(parents=True)
    (tmp_path / "mine" / "tiny" / "input.txt").write_text("damaged")
    folder = fetch(root=tmp_path / "mine")
    assert (folder / "input.txt").read_bytes() == TEXT


def test_only_addresses_of_the_web_are_mirrors(tmp_path):
    for address in ("file:///etc/passwd", "/etc/passwd", "ftp://example.org/"):
        with pytest.raises(InvalidInput, match="address of the web"):
            plica.data.fetch("mnist", root=tmp_path, mirrors=[address])
    with pytest.raises(InvalidInput, match="nothing to fetch"):
        plica.data.fetch("moons")


def _hold(folder, ready):
    from plica.data._fetch import _alone

    with _alone(folder):
        ready.set()
        time.sleep(patient(30))


@pytest.mark.skipif(os.name == "nt", reason="locks of files are those of POSIX")
def test_two_downloads_do_not_write_into_one_folder_and_a_killed_one_frees_it(mirror, tmp_path):
    mirror(good)
    folder = tmp_path / "cache" / "plica" / "data" / "tiny"
    folder.mkdir(parents=True)
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    holder = context.Process(target=_hold, args=(folder, ready))
    holder.start()
    assert ready.wait(patient(10))
    with pytest.raises(FetchFailed, match="another process"):
        fetch()
    holder.kill()
    holder.join()
    assert contents(fetch()) == ["input.txt"]


def test_the_command_lists_fetches_and_verifies(mirror, tmp_path):
    server = mirror(good)
    run = CliRunner().invoke
    listed = json.loads(run(app, ["data", "list", "--json"]).stdout)["datasets"]
    states = {entry["name"]: entry["state"] for entry in listed}
    assert states["moons"] == "embedded" and states["tinyshakespeare"] == "absent"
    assert all(entry["about"] for entry in listed)
    done = run(app, ["data", "fetch", "tinyshakespeare", "--json", "--mirror", server.address, "--root", str(tmp_path / "mine")])
    assert json.loads(done.stdout)["folder"] == str(tmp_path / "mine" / "tiny"), done.stderr
    fine = run(app, ["data", "verify", "tinyshakespeare", "--root", str(tmp_path / "mine"), "--json"])
    assert fine.exit_code == 0 and json.loads(fine.stdout)["datasets"][0]["state"] == "whole"
    (tmp_path / "mine" / "tiny" / "input.txt").write_text("x")
    broken = run(app, ["data", "verify", "--root", str(tmp_path / "mine")])
    assert broken.exit_code == 1 and "damaged" in broken.stdout
    absent = run(app, ["data", "verify", "fashion-mnist"])
    assert absent.exit_code == 2 and ENTRIES["fashion-mnist"].files[0].sha256 in absent.stderr.replace("\n", "")
