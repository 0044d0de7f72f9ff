"""How long tests wait for other processes: long, as no test is about the clock; longer where ``PLICA_TEST_PATIENCE`` says so."""

import os
import time

FACTOR = float(os.environ.get("PLICA_TEST_PATIENCE", "10"))


def patient(seconds):
    """A limit for something that takes a fraction of these seconds on an idle machine."""
    return seconds * FACTOR


def wait_for(condition, seconds=20.0):
    """Wait until a condition holds; the test fails when it does not hold in the end."""
    end = time.monotonic() + patient(seconds)
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
