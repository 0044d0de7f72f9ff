"""``plica.robust.verify`` on the benchmarks of the verification competition: verdict and seconds of each instance.

    PLICA_DATA=... python benchmarks/bench_verify.py                        all that verdicts.csv lists
    python benchmarks/bench_verify.py acasxu --timeout 116 --out acas.csv   one benchmark; a second run continues
    python benchmarks/bench_verify.py acasxu --out acas.csv --within 300    nothing is begun after five minutes

Looks for the folder ``vnncomp`` in PLICA_DATA: a folder for each benchmark with ``onnx`` and ``vnnlib``, and ``verdicts.csv``
(benchmark, onnx, vnnlib, verdict). Prints wall and processor seconds; at the end, for each benchmark, how many verdicts agree,
the median and the largest time of both kinds. Instances without a known verdict are run with --all.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import sys
import time
from pathlib import Path
from statistics import median

import plica
from plica.robust import read_vnnlib, verify

FIELDS = ("benchmark", "onnx", "vnnlib", "expected", "verdict", "seconds", "processor_s", "boxes", "leaves")


def instances(root: Path, with_unknown: bool) -> list[dict[str, str]]:
    with (root / "verdicts.csv").open() as file:
        known = [dict(r) for r in csv.DictReader(file)]
    if not with_unknown:
        return known
    keys = {(r["benchmark"], r["onnx"], r["vnnlib"]) for r in known}
    for listing in sorted(root.glob("*/instances.csv")):
        with listing.open() as file:
            for onnx, asked, *_ in csv.reader(file):
                key = (listing.parent.name, Path(onnx).name, Path(asked).name)
                if key not in keys:
                    known.append(dict(zip(("benchmark", "onnx", "vnnlib", "verdict"), (*key, ""), strict=True)))
    return known


def existing(path: Path) -> Path | None:
    return next((p for p in (path, path.with_name(path.name + ".gz")) if p.exists()), None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help="parts of names; all if none is given")
    parser.add_argument("--timeout", type=float, default=116.0)
    parser.add_argument("--out", type=Path, help="a CSV file to append to; instances in it are not run again")
    parser.add_argument("--within", type=float, default=float("inf"), help="seconds after which no instance is begun")
    parser.add_argument("--all", action="store_true", help="also instances without a known verdict")
    options = parser.parse_args()
    roots = [Path(p) / "vnncomp" for p in os.environ.get("PLICA_DATA", "").split(os.pathsep) if p]
    root = next((r for r in roots if (r / "verdicts.csv").exists()), None)
    if root is None:
        sys.exit("no folder vnncomp with verdicts.csv in PLICA_DATA")
    rows: list[dict[str, str]] = []
    if options.out is not None and options.out.exists():
        with options.out.open() as file:
            rows = [dict(r) for r in csv.DictReader(file)]
    done = {(r["benchmark"], r["onnx"], r["vnnlib"]) for r in rows}
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, timeout {options.timeout:g} s")
    begun = time.monotonic()
    for r in instances(root, options.all):
        if time.monotonic() - begun > options.within:
            break
        key = (r["benchmark"], r["onnx"], r["vnnlib"])
        if key in done or (options.parts and not any(p in "/".join(key) for p in options.parts)):
            continue
        model, asked = existing(root / key[0] / "onnx" / key[1]), existing(root / key[0] / "vnnlib" / key[2])
        if model is None or asked is None:
            print("/".join(key), "is not there")
            continue
        started, processor = time.perf_counter(), time.process_time()
        answer = verify(plica.load(model), read_vnnlib(asked), timeout_s=options.timeout)
        seconds, used = time.perf_counter() - started, time.process_time() - processor
        values = (*key, r["verdict"], answer.status, f"{seconds:.2f}", f"{used:.2f}", answer.tally.n_boxes, answer.tally.n_leaves)
        row = dict(zip(FIELDS, map(str, values), strict=True))
        rows.append(row)
        mark = "" if not r["verdict"] else "ok" if r["verdict"] == answer.status else "DIFFERS"
        print(f"{'/'.join(key):<90} {answer.status:<8}{mark:<8}{seconds:8.2f} s {used:8.2f} processor s", flush=True)
        if options.out is not None:
            is_new = not options.out.exists()
            with options.out.open("a", newline="") as file:
                writer = csv.DictWriter(file, FIELDS)
                if is_new:
                    writer.writeheader()
                writer.writerow(row)
    for name in dict.fromkeys(r["benchmark"] for r in rows):
        summarize(name, [r for r in rows if r["benchmark"] == name])


def summarize(name: str, rows: list[dict[str, str]]) -> None:
    known = [r for r in rows if r["expected"]]
    agree = sum(r["expected"] == r["verdict"] for r in known)
    wrong = sum({r["expected"], r["verdict"]} == {"sat", "unsat"} for r in known)
    print(f"{name}: {len(rows)} instances, {agree} of {len(known)} known verdicts agree, {wrong} contradict", end="")
    for kind in ("seconds", "processor_s"):
        times = [float(r[kind]) for r in rows]
        print(f"; {kind} median {median(times):.2f}, largest {max(times):.2f}", end="")
    print()


if __name__ == "__main__":
    main()
