"""Tables that users drop."""

import numpy as np
import pytest

from plica.errors import InvalidInput
from plica.web._table import read_table


def test_commas_semicolons_tabs_and_names_are_understood():
    for separator in (",", ";", "\t"):
        text = separator.join("ab") + "\n" + "\n".join(separator.join(map(str, row)) for row in [(0, 1.5), (1, 2), (2, 7)])
        x, y, classes = read_table(text.encode())
        assert np.array_equal(x, [[0], [1], [2]]) and np.array_equal(y, [1.5, 2, 7]) and classes == ()


def test_two_kinds_of_targets_are_classes():
    _, y, classes = read_table("﻿x,y,t\n0,1,cat".replace("cat", "-1").encode() + b"\n2,3,5\n4,5,5\n")
    assert classes == ("-1", "5") and y.tolist() == [0, 1, 1]


@pytest.mark.parametrize("head", [b"", b"x,y,animal\n"])
def test_words_are_labels_of_two_classes(head):
    x, y, classes = read_table(head + b"0,1,dog\n2,3,cat\n4,5,dog\n")
    assert classes == ("cat", "dog") and y.tolist() == [1, 0, 1] and x.shape == (3, 2)
    _, y, classes = read_table(head + b"0,1,dog\n2,3,cat\n4,5,emu\n")
    assert classes == ("cat", "dog", "emu") and y.tolist() == [1, 0, 2]
    many = b"\n".join(b"%d,%d,kind-%d" % (i, -i, i) for i in range(21))
    with pytest.raises(InvalidInput, match="21 kinds of labels: kind-0"):
        read_table(many)
    with pytest.raises(InvalidInput, match="3 classes and one column"):
        read_table(b"0,dog\n2,cat\n4,emu\n")


def test_a_few_whole_numbers_that_come_again_are_classes():
    rows = b"\n".join(b"%d,%d,%d" % (i, i * i, i % 3 + 4) for i in range(18))
    _, y, classes = read_table(rows)
    assert classes == ("4", "5", "6") and y.tolist() == [i % 3 for i in range(18)]
    assert read_table(rows + b"\n3,1,4.5")[2] == () and read_table(b"\n".join(rows.split(b"\n")[:9]))[2] == ()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "0 rows"),
        (b"1,2\n", "1 rows"),
        (b"1\n2\n", "columns"),
        (b"1,2,3,4\n1,2,3,4\n", "columns"),
        (b"1,2\n3\n", "row 2"),
        (b"1,2\n3,nan\n", "finite"),
        (b"1,2\n3,inf\n", "finite"),
        (b"1,2\n3,1e300\n", "beyond"),
        (b"1,2\n3,__import__\n", "row 2"),
        (b"1,2\n1,3\n", "constant"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"1,2\0\n3,4\n", "text"),
        (b"1,2\n" * 6000, "6000 rows"),
        (b'"' + b"a" * 200_000, "not CSV"),
    ],
)
def test_a_wrong_table_is_refused_in_words(content, words):
    with pytest.raises(InvalidInput) as caught:
        read_table(content)
    assert words in str(caught.value)


def test_a_row_that_is_not_understood_is_shown_as_it_was_given():
    with pytest.raises(InvalidInput, match="'3,,emu'"):
        read_table(b"1,2,dog\n3,,emu\n")
