"""The float filter never lies: every sign that it decides is the exact one, on every family.

Topology stands on these signs; a single wrong one breaks the arrangement of chords that follows.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from plica.geometry import decompose
from plica.geometry._bits import bit
from plica.geometry.line import _cut_line as _line
from plica.geometry.plane import _cut as _subdivide
from plica.geometry.signs import Decisions, _decisions
from plica.geometry.signs._vertex_signs import SignForms
from plica.testing import FAMILIES, draw_case, draw_segment


class Tally:
    """How many signs were compared with exact arithmetic, and how many of them floating point had decided."""

    compared = 0
    left_to_exact = 0


@pytest.fixture
def tally(monkeypatch: pytest.MonkeyPatch) -> Iterator[Tally]:
    """Every sign of every layer is computed a second time, in integers."""
    original, count = _subdivide.vertex_signs, Tally()

    def compared(forms: SignForms, oracle: Any) -> Any:
        before = oracle.tally.decisions.integer
        signs = original(forms, oracle)
        count.left_to_exact += oracle.tally.decisions.integer - before
        for v in range(len(forms.z)):
            numbers, _ = oracle.integers(v)
            truth = [(x > 0) - (x < 0) for x in numbers]
            found = [int(bit(signs.pos[v], k)) - int(bit(signs.neg[v], k)) for k in range(forms.z.shape[1])]
            assert found == truth, f"vertex {v}: signs {found}, exactly {truth}"
            count.compared += len(truth)
        return signs

    for module in (_subdivide, _line):
        monkeypatch.setattr(module, "vertex_signs", compared)
    yield count
    assert count.compared


@pytest.mark.parametrize("family", sorted(set(FAMILIES) - {"no hidden layer"}))
def test_every_sign_is_the_exact_one(family: str, tally: Tally) -> None:
    for seed in range(300, 306):
        case = draw_case(family, seed=seed)
        case.engine(case.network, case.domain).decision_boundary()  # type: ignore[attr-defined]
        decompose(case.network, draw_segment(case.network, seed=seed))


@pytest.mark.slow
@pytest.mark.parametrize("family", sorted(set(FAMILIES) - {"no hidden layer"}))
def test_every_sign_is_the_exact_one_on_many_networks(family: str, tally: Tally) -> None:
    for seed in range(40):
        case = draw_case(family, seed=seed, size="medium")
        assert case.complex.n_cells
        decompose(case.network, draw_segment(case.network, seed=seed))


def test_random_networks_hardly_ever_need_exact_arithmetic(tally: Tally) -> None:
    for seed in range(20):
        case = draw_case("gaussian", seed=seed, size="medium", domain="unit box")
        assert case.complex.exact_fallbacks == 0
    assert tally.compared > 2_000 and tally.left_to_exact == 0


def test_coincidences_need_it_and_it_is_counted(tally: Tally) -> None:
    cases = [draw_case(family, seed=1, size="medium", domain="unit box") for family in ("zero biases", "one ulp", "minus two")]
    assert sum(case.complex.exact_fallbacks for case in cases) >= tally.left_to_exact > 0


def test_networks_of_proofs_do_not(tally: Tally) -> None:
    case = draw_case("sawtooth", seed=1, size="medium", domain="unit box")
    assert case.complex.n_cells > 10 and case.complex.exact_fallbacks == tally.left_to_exact == 0


def test_an_undecided_sign_is_decided_and_its_value_repaired() -> None:
    class Known:
        tally = _decisions.Tally()
        has_own_doubles = False

        def integers(self, vertex: int) -> tuple[list[int], int]:
            return [[3, 0, -5], [-1, 2, 0]][vertex], 7

        def parts(self, rows: Any) -> list[Any]:
            return [rows]

        def values(self, precision: Any, vertices: Any) -> None:
            """Floating point has nothing to add."""

        def rounded(self, vertex: int) -> Any:
            return np.array(self.integers(vertex)[0]) / 7

    z = np.array([[1.0, 1e-20, -1.0], [-1.0, 1e-20, 1e-20]])
    forms = SignForms(z, np.ones(3), np.full(2, 1e-10), np.full(3, 1e-12))
    signs = _subdivide.vertex_signs(forms, Known())  # type: ignore[arg-type]
    assert Known.tally.decisions == Decisions(double=3, extended=0, integer=3)
    assert [int(w) for w in signs.pos[:, 0]] == [0b001, 0b010]
    assert [int(w) for w in signs.neg[:, 0]] == [0b100, 0b001]
    assert z.tolist() == [[3 / 7, 0.0, -5 / 7], [-1 / 7, 2 / 7, 0.0]]
    assert forms.error.tolist() == [0.0, 0.0]
