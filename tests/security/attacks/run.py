"""Load every file of a folder with plica under an audit hook; print what happened as JSON.

Run as ``python run.py FOLDER``, with the folder as the current directory's sandbox.
"""

import json
import os
import sys
import time
from pathlib import Path

import plica
from plica.network import _onnx_ops  # noqa: F401  (imports are done before the clock and the hook start)


def peak_mb() -> float:
    """The most memory this process ever had, in megabytes (Linux; elsewhere 0)."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)


def main(folder: Path) -> None:
    import onnx  # noqa: F401
    from google.protobuf.message import DecodeError  # noqa: F401

    events: list[str] = []

    def hook(event: str, args: tuple) -> None:
        if event == "open":
            path, mode, flags = args
            writes = (isinstance(mode, str) and set(mode) & set("wax+")) or (
                isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR)
            )
            inside = str(path).startswith(str(folder)) or str(path).endswith((".py", ".pyc", ".so"))
            if writes or not inside:
                events.append(f"open {path} {mode}")
        elif event.split(".")[0] in ("subprocess", "socket", "ctypes", "pickle", "shutil") or event in (
            "exec",
            "os.system",
            "os.remove",
        ):
            events.append(event)

    sys.addaudithook(hook)
    report = {}
    for path in sorted(folder.iterdir()):
        events.clear()
        start = time.process_time()
        try:
            plica.load(path)
            error, text = "none", "it was loaded"
        except Exception as caught:  # whatever it is, the test looks at its type
            error, text = type(caught).__name__, str(caught)
        seconds = time.process_time() - start  # of this process: other load does not count
        report[path.name] = {
            "error": error,
            "typed": error in ("InvalidNetwork", "UnsupportedLayer", "InvalidInput"),
            "text": text,
            "seconds": seconds,
            "events": list(events),
            "peak_mb": peak_mb(),
        }
    print(json.dumps(report))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
