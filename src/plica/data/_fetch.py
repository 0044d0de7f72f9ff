"""Downloads: from several mirrors, resumed where they broke, believed only when the uncompressed hash is the published one."""

from __future__ import annotations

import hashlib
import http.client
import os
import tarfile
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from time import sleep
from typing import IO, Any

from plica.data._entries import ENTRIES, Entry
from plica.data._errors import DatasetDamaged, FetchFailed
from plica.data._files import File, read_verified
from plica.data._resolve import user_cache
from plica.errors import InvalidInput

CHUNK = 1 << 16
TRIES = 3
Progress = Callable[[str, int, int | None], None]
"""Told the name of a file, the bytes that came so far, and how many there will be if the mirror says so."""


def fetch(
    name: str,
    *,
    root: str | os.PathLike[str] | None = None,
    mirrors: Sequence[str] = (),
    timeout_s: float = 30.0,
    progress: Progress | None = None,
) -> Path:
    """Download a published data set and return the folder that holds it.

    Files that are there and whole are left alone. A download that breaks is resumed, by this call or by the next one; a file
    appears under its name only when it is complete and its hash is the published one.

    Parameters
    ----------
    name
        The data set.
    root
        The data folder to put it into; the user's cache if not given.
    mirrors
        Addresses (http or https) to try before the known ones.
    timeout_s
        How long a mirror may be silent.
    progress
        Called with (file, bytes so far, bytes in all or None).
    """
    entry = _entry(name)
    for mirror in mirrors:
        if not mirror.startswith(("http://", "https://")):
            raise InvalidInput(f"the mirror {mirror!r} is not an address of the web.", hint="it starts with http:// or https://")
    folder = (user_cache() if root is None else Path(root).expanduser()) / entry.folders[0]
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder):
        missing = [file for file in entry.files if not _is_there(file, folder)]
        wanted = [*mirrors, *entry.mirrors]
        if missing and entry.archive is not None:
            unpack = partial(_unpack_archive, files=missing, folder=folder)
            _fetch_file(entry.archive, folder, wanted, timeout_s, progress, unpack)
        else:
            for file in missing:
                _fetch_file(file, folder, wanted, timeout_s, progress, partial(_unpack, file=file, folder=folder))
        _clean(folder)
    return folder


def _entry(name: str) -> Entry:
    if name not in ENTRIES:
        raise InvalidInput(f"there is nothing to fetch for {name!r}.", hint=f"one of {', '.join(ENTRIES)}")
    return ENTRIES[name]


def _is_there(file: File, folder: Path) -> bool:
    path = file.within(folder)
    if path is None:
        return False
    try:
        read_verified(file, path)
    except DatasetDamaged:
        return False
    return True


def _fetch_file(
    file: File,
    folder: Path,
    mirrors: Sequence[str],
    timeout_s: float,
    progress: Progress | None,
    unpack: Callable[[Path, _Arrival], None],
) -> None:
    failures = []
    for mirror in mirrors:
        address = mirror.rstrip("/") + "/" + file.remote
        part = folder / f".{file.name}.{hashlib.sha256(address.encode()).hexdigest()[:12]}.part"  # mirrors compress differently
        for attempt in range(TRIES):
            try:
                arrival = _download(address, part, file, timeout_s, progress)
                unpack(part, arrival)
                return
            except _Refused as refusal:  # asking again would not help
                failures.append(f"{address}: {refusal}")
                break
            except (OSError, http.client.HTTPException) as error:
                failures.append(f"{address}: {getattr(error, 'reason', None) or error or type(error).__name__}")
                if attempt + 1 < TRIES:
                    sleep(0.2 * 2**attempt)
    told = "\n".join(f"    {line}" for line in dict.fromkeys(failures))
    raise FetchFailed(
        f"no mirror gave {file.name}{f' (SHA-256 {file.sha256} uncompressed)' if file.sha256 else ''}:\n{told}",
        hint="try again later, or another mirror: plica data fetch NAME --mirror https://...",
    )


class _Refused(Exception):
    """The mirror answered, and the answer is of no use."""


@dataclass(frozen=True)
class _Arrival:
    """How a download came: in one go, and whether the mirror said that this was all."""

    is_resumed: bool
    is_complete: bool


def _download(address: str, part: Path, file: File, timeout_s: float, progress: Progress | None) -> _Arrival:
    """Bring ``part`` to its full length, starting where an earlier download broke."""
    limit = file.n_bytes + file.n_bytes // 100 + 65536  # compressed files are not larger than this
    have = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(address, headers={"User-Agent": "plica", "Accept-Encoding": "identity"})  # noqa: S310 http(s), checked
    if have:
        request.add_header("Range", f"bytes={have}-")
    try:
        answer = urllib.request.urlopen(request, timeout=timeout_s)  # noqa: S310
    except urllib.error.HTTPError as error:
        with error:
            if error.code == 416:  # nothing after what we have: it is complete, or it is not a part of this file
                return _Arrival(is_resumed=True, is_complete=True)
            if error.code == 429 or error.code >= 500:  # its trouble may pass
                raise OSError(f"HTTP {error.code} {error.reason}") from None
            raise _Refused(f"HTTP {error.code} {error.reason}") from None
    with answer:
        is_rest = answer.status == 206 and (answer.headers.get("Content-Range") or "").startswith(f"bytes {have}-")
        if have and answer.status == 206 and not is_rest:
            part.unlink()
            raise OSError("it sent another part than the one asked for")
        have = have if is_rest else 0
        length = answer.headers.get("Content-Length", "")
        total = have + int(length) if length.isdigit() else None
        if total is not None and total > limit:
            raise _Refused(f"it offers {total:,} bytes, more than the file can have")
        with part.open("ab" if is_rest else "wb") as stream:
            _copy(answer, stream, have, total, limit, file, progress)
    return _Arrival(is_rest, total is not None)


def _copy(
    answer: Any, stream: IO[bytes], have: int, total: int | None, limit: int, file: File, progress: Progress | None
) -> None:
    while block := answer.read(CHUNK):
        stream.write(block)
        have += len(block)
        if have > limit:
            raise _Refused("it sends more bytes than the file can have")
        if progress is not None:
            progress(file.remote, have, total)
    if total is not None and have < total:
        raise OSError(f"the connection broke after {have:,} of {total:,} bytes")


def _unpack(part: Path, arrival: _Arrival, *, file: File, folder: Path) -> None:
    """Decompress a finished download, compare its hash, and give it its name in one step."""
    try:
        with part.open("rb") as stream:
            _keep(_plain_blocks(stream, is_compressed=file.remote.endswith(".gz")), file, folder, part, arrival)
        part.unlink()
    except zlib.error as error:
        raise _wrong(part, arrival, f"what it sent is not compressed with gzip ({error})") from None


def _unpack_archive(part: Path, arrival: _Arrival, *, files: Sequence[File], folder: Path) -> None:
    """Take the files out of a finished archive, by their names alone, as long as it is no larger than they are."""
    waiting = {file.remote: file for file in files}
    room = 2 * sum(file.n_bytes for file in files) + (1 << 20)
    try:
        with tarfile.open(part, "r|gz") as archive:
            for member in archive:
                room -= max(member.size, 512)
                if room < 0:
                    raise _wrong(part, arrival, "its archive holds more than the published files")
                file = waiting.pop(PurePosixPath(member.name).name, None) if member.isreg() else None
                stream = archive.extractfile(member) if file is not None else None
                if file is not None and stream is not None:
                    _keep(_plain_blocks(stream, is_compressed=False), file, folder, part, arrival)
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise _wrong(part, arrival, f"what it sent is no archive ({error})") from None
    if waiting:
        raise _wrong(part, arrival, f"its archive has no {', '.join(waiting)}")
    part.unlink()


def _keep(blocks: Iterator[bytes], file: File, folder: Path, part: Path, arrival: _Arrival) -> None:
    """Write contents beside their place, compare size and hash, and give them their name in one step."""
    ready = folder / f".{file.name}.{os.getpid()}.ready"
    digest, size = hashlib.sha256(), 0
    try:
        with ready.open("wb") as out:
            for block in blocks:
                size += len(block)
                if size > file.n_bytes:
                    break
                digest.update(block)
                out.write(block)
            out.flush()
            os.fsync(out.fileno())
        if size < file.n_bytes and not arrival.is_complete:
            raise OSError(f"it stopped after {size:,} of {file.n_bytes:,} uncompressed bytes")
        if size != file.n_bytes or digest.hexdigest() != file.sha256:
            raise _wrong(part, arrival, f"what it sent is not the published file (SHA-256 {digest.hexdigest()})")
        ready.replace(folder / file.name)
    finally:
        ready.unlink(missing_ok=True)


def _wrong(part: Path, arrival: _Arrival, what: str) -> Exception:
    """Throw the download away; if it was pieced together, it is worth another try from the start."""
    part.unlink()
    return OSError(what) if arrival.is_resumed else _Refused(what)


def _plain_blocks(stream: IO[bytes], *, is_compressed: bool) -> Iterator[bytes]:
    """Uncompressed contents, never more than a few hundred kilobytes at a time."""
    if not is_compressed:
        while block := stream.read(CHUNK):
            yield block
        return
    machine = zlib.decompressobj(wbits=31)
    while block := stream.read(CHUNK):
        while block:
            yield machine.decompress(block, 4 * CHUNK)
            block = machine.unconsumed_tail
    yield machine.flush()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One download at a time into a folder; a lock of the system, gone when its process is."""
    with (folder / ".lock").open("w") as lock:
        try:
            import fcntl
        except ImportError:  # not on this system: two downloads would then only waste time
            yield
            return
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FetchFailed(f"another process is filling {folder}.", hint="wait for it, then try again") from None
        yield


def _clean(folder: Path) -> None:
    """Remove parts from mirrors that were given up."""
    for path in [*folder.glob(".*.part"), *folder.glob(".*.ready")]:
        path.unlink(missing_ok=True)
