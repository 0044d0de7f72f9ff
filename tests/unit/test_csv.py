"""Tables in CSV files: what they hold is found, and what is wrong with them is said with row and column."""

from __future__ import annotations

import numpy as np
import pytest

from plica._csv import cut_csv, read_csv
from plica.errors import InvalidInput


def table(tmp_path, text: str, n_inputs: int = 2):
    path = tmp_path / "data.csv"
    path.write_bytes(text.encode())
    return read_csv(path, n_inputs)


def test_words_are_classes_in_the_order_of_the_alphabet(tmp_path) -> None:
    found = table(tmp_path, "height,width,kind\n1,2,pear\n3,4,apple\n5,6,pear\n")
    assert found.points.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert found.classes == ("apple", "pear") and found.answers is not None and found.answers.tolist() == [1, 0, 1]
    assert found.columns == ("height", "width")


@pytest.mark.parametrize("text", ["1;2;7\n3;4;8", "1\t2\t7\n3\t4\t8", "\ufeff1,2,7\r\n3,4,8\r\n\r\n"])
def test_delimiters_marks_and_empty_lines_change_nothing(tmp_path, text) -> None:
    found = table(tmp_path, text)
    assert found.points.tolist() == [[1, 2], [3, 4]] and found.columns == found.classes == ()
    assert found.answers is not None and found.answers.tolist() == [7, 8] and found.answers.dtype.kind == "i"


def test_answers_may_be_missing_or_numbers(tmp_path) -> None:
    assert table(tmp_path, "a,b\n1,2\n3,4").answers is None
    assert np.array_equal(table(tmp_path, "a,b,y\n1,2,0.5\n3,4,1").answers, [0.5, 1.0])
    assert table(tmp_path, "1,2,y\n3,4,1").points.tolist() == [[3, 4]], "a word over numbers is a name"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no rows"),
        ("a,b,y\n", "has no rows"),
        ("1,2,3,4,5\n", "has 5 columns; the network takes 2 inputs"),
        ("a,b\n1,2\n3\n", "row 2 of data.csv has 1 cells"),
        ("a,b\n1,2\n3,nan\n", "row 2 of data.csv, column 'b': 'nan' is no finite number"),
        ("nan,2,1\n3,4,1\n", "row 1 of data.csv, column 1: 'nan'"),
        ("NA,2,1\n3,4,1\n", "row 1 of data.csv, column 1: 'NA'"),
        ("1,,1\n3,4,1\n", "row 1 of data.csv, column 2: ''"),
        ("a,b\n1,1e999\n", "column 'b': '1e999' is no finite number"),
        ("a,b,y\n1,2,cat\n3,4,5\n", "row 1 of data.csv, column 'y': 'cat'"),
        ("a,b,y\n1,2,cat\n3,4,\n", "row 2 of data.csv has no class"),
        ("a,b\n1,2\n\x00,4\n", "is not text"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path, text, said) -> None:
    with pytest.raises(InvalidInput) as error:
        table(tmp_path, text)
    assert said in str(error.value)


def test_other_encodings_and_endless_fields_are_refused() -> None:
    with pytest.raises(InvalidInput, match="UTF-8"):
        cut_csv(b"\xff\xfe1,2")
    with pytest.raises(InvalidInput, match="not CSV"):
        cut_csv(b'"' + b"a" * 200_000)


def test_more_cells_than_a_text_should_hold_are_refused() -> None:
    with pytest.raises(InvalidInput, match="more than 1,000,000 cells") as caught:
        cut_csv(b"1,2\n" * 500_001)
    assert "npy" in str(caught.value.hint)
    assert len(cut_csv(b"1,2\n" * 500_000)[1]) == 500_000
