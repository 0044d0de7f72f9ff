"""What numba keeps on disk of its kernels, for several processes at a time.

A file that cannot be read any more, after a full disk or a crash, is a file that is not there. Numba writes the index of a kernel
before the file that the index names, under the next free number: a process that looks in between finds nothing, or what an older
text of the kernel left there, and two that compile for different types may take the same number. Here the file comes first, and
its number belongs to the types.
"""

from __future__ import annotations

from functools import wraps
from hashlib import sha256
from typing import Any

from numba.core.caching import IndexDataCacheFile


def trust_what_is_kept() -> None:
    """Have numba keep and find kernels so."""
    load_index, load_data, save = IndexDataCacheFile._load_index, IndexDataCacheFile._load_data, IndexDataCacheFile.save

    @wraps(load_index)
    def index(self: Any) -> Any:
        try:
            return load_index(self)
        except Exception:  # bytes that are no pickle raise anything
            return {}

    @wraps(load_data)
    def data(self: Any, name: str) -> Any:
        try:
            return load_data(self, name)
        except Exception as error:
            raise OSError(f"the kernel {name} that was kept cannot be read") from error

    @wraps(save)
    def keep(self: Any, key: Any, data: Any) -> None:
        name = self._data_name(int(sha256(repr(key).encode()).hexdigest()[:12], 16))
        self._save_data(name, data)
        overloads = self._load_index()
        if overloads.get(key) != name:
            self._save_index({**overloads, key: name})

    IndexDataCacheFile._load_index, IndexDataCacheFile._load_data = index, data  # type: ignore[method-assign]
    IndexDataCacheFile.save = keep  # type: ignore[method-assign]
