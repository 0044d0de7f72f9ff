"""Browsers that tests started, and how they are ended where a page never answers."""

import psutil


def end_browsers():
    """Kill the browsers of this process; whatever waits for one of their pages fails."""
    for process in psutil.Process().children(recursive=True):
        try:
            if "chrom" in process.name():
                process.kill()
        except psutil.NoSuchProcess:
            pass
