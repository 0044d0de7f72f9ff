"""Rows are plain values, whatever kind of number a claim measured with."""

import json

import numpy as np

from plica.claims import row


def test_a_row_measured_with_numpy_numbers_is_plain_json():
    measured = row(np.float64(1.5), "<=", np.float32(2.0), kind="estimated", standard_error=np.float64(0.1), n=np.int64(3))
    told = json.loads(json.dumps(measured.to_dict()))
    assert told["holds"] is True
    assert told["parameters"] == {"n": 3}
