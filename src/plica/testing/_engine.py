"""The conformance suite of engines: every invariant on every family."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import MappingProxyType

from plica.errors import InvalidInput
from plica.geometry import decompose as default_engine
from plica.testing._against_reference import check_line, check_reference
from plica.testing._boundaries import check_decision_boundary, check_level_set
from plica.testing._case import Case, Engine
from plica.testing._domains import draw_domain
from plica.testing._families import FAMILIES, draw_network
from plica.testing._floats import check_floats
from plica.testing._incidence import check_areas, check_edges, check_euler, check_folds, check_patterns
from plica.testing._invariance import check_chart, check_dead_neuron, check_doubled_neuron, check_permutation, check_rescaling
from plica.testing._restriction import check_completeness, check_restriction, check_splitting
from plica.testing._values import check_continuity, check_maps, check_outputs, check_regions

Invariant = Callable[[Case], None]

INVARIANTS: MappingProxyType[str, Invariant] = MappingProxyType(
    {
        "reference": check_reference,
        "line": check_line,
        "areas": check_areas,
        "euler": check_euler,
        "edges": check_edges,
        "patterns": check_patterns,
        "folds": check_folds,
        "maps": check_maps,
        "outputs": check_outputs,
        "floats": check_floats,
        "continuity": check_continuity,
        "regions": check_regions,
        "completeness": check_completeness,
        "restriction": check_restriction,
        "splitting": check_splitting,
        "permutation": check_permutation,
        "rescaling": check_rescaling,
        "dead neuron": check_dead_neuron,
        "doubled neuron": check_doubled_neuron,
        "chart": check_chart,
        "level set": check_level_set,
        "decision boundary": check_decision_boundary,
    }
)


@dataclass(frozen=True)
class EngineReport:
    """What a conformance run looked at; that it exists means that nothing failed."""

    n_networks: int
    n_cells: int
    n_regions: int
    exact_fallbacks: int
    n_checks: int
    seconds: float


def draw_case(family: str, *, seed: int, size: str = "small", domain: str = "any", engine: Engine = default_engine) -> Case:
    """The network of a family and seed with a domain, ready for the invariants: how a reported failure is looked at again."""
    network = draw_network(family, seed=seed, size=size)
    label = f"draw_case({family!r}, seed={seed}, size={size!r}, domain={domain!r})"
    return Case(network, draw_domain(network, seed=seed, kind=domain), engine, seed, label)


def check_engine(
    decompose: Engine = default_engine,
    *,
    families: Iterable[str] | None = None,
    invariants: Iterable[str] | None = None,
    n_networks: int = 3,
    seed: int = 0,
    size: str = "small",
    domain: str = "any",
) -> EngineReport:
    """Hold an engine to the invariants, on seeded networks of every family.

    Parameters
    ----------
    decompose
        The engine: ``decompose(network, domain)`` gives a :class:`plica.Complex`.
    families, invariants
        Names from ``FAMILIES`` and ``INVARIANTS``; all by default.
    n_networks
        How many networks of each family, with seeds ``seed``, ``seed + 1``, ...
    size
        ``"tiny"``, ``"small"`` or ``"medium"`` networks.
    domain
        One of ``DOMAIN_KINDS``, or ``"any"``: half of the domains are the box [-1, 1]^2, the others odd.

    Raises
    ------
    AssertionError
        At the first violation; its text names the case (see :func:`draw_case`), the invariant and what was wrong.

    Examples
    --------
    >>> report = check_engine(families=["integer", "sawtooth"], n_networks=1, size="tiny")
    >>> report.n_networks, report.n_checks
    (2, 44)
    """
    started = time.perf_counter()
    names = list(FAMILIES if families is None else families)
    chosen = list(INVARIANTS if invariants is None else invariants)
    for name in chosen:
        if name not in INVARIANTS:
            raise InvalidInput(f"there is no invariant {name!r}.", hint="invariants: " + ", ".join(INVARIANTS))
    cells = regions = fallbacks = checks = 0
    for name in names:
        for number in range(seed, seed + n_networks):
            case = draw_case(name, seed=number, size=size, domain=domain, engine=decompose)
            for invariant in chosen:
                _run(case, invariant)
                checks += 1
            cells += case.complex.n_cells
            regions += case.complex.n_regions
            fallbacks += case.complex.exact_fallbacks
    return EngineReport(len(names) * n_networks, cells, regions, fallbacks, checks, time.perf_counter() - started)


def _run(case: Case, invariant: str) -> None:
    """One invariant; whatever it raises becomes an AssertionError that names the case."""
    label = case.label
    case.label = f"{label}, invariant {invariant!r}"
    try:
        INVARIANTS[invariant](case)
    except Exception as error:
        if isinstance(error, AssertionError) and str(error).startswith(label):
            raise
        raise AssertionError(f"{case.label}: {type(error).__name__}: {error}") from error
    finally:
        case.label = label
