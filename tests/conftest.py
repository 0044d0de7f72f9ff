"""One torch thread, no deadline, random order: tests share the machine, numba compiles on first use, no test needs another."""

import os
import random
import signal

from hypothesis import HealthCheck, settings

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read by torch when a test first imports it
os.environ.setdefault("MPLBACKEND", "agg")
os.environ.setdefault("PLICA_TEST_ORDER", str(random.SystemRandom().randrange(10**6)))  # workers inherit it
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background: commands that tests interrupt would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("plica", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.load_profile("plica")


def pytest_report_header():
    return f"order of tests: PLICA_TEST_ORDER={os.environ['PLICA_TEST_ORDER']} repeats it"


def pytest_collection_modifyitems(items):
    """Files in random order, and the tests of each; those of one file stay together, as they share what they set up."""
    rng = random.Random(os.environ["PLICA_TEST_ORDER"])
    files = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    order = sorted(files)
    rng.shuffle(order)
    for path in order:
        rng.shuffle(files[path])
    items[:] = [item for path in order for item in files[path]]
