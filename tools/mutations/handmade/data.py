"""Errors in ``plica.data``."""

from __future__ import annotations

from error import CONSTANT, FORMULA, ROLE, TERM, Error, within

ERRORS: tuple[Error, ...] = (
    *within(
        "data._dataset",
        ("Dataset.subset", "self.latent[rows]", "self.latent[:n]", "data/test_points_and_targets", FORMULA),
        ("Dataset.split", "self.latent[a]", "self.latent", "data/test_points_and_targets", FORMULA),
    ),
    *within(
        "data._manifolds",
        ("hidden_manifold", "latent @ teacher / np.sqrt(dimension)", "latent @ teacher", "data/test_manifold_laws", TERM),
        (
            "hidden_manifold",
            "latent @ features / np.sqrt(dimension)",
            "latent @ features / dimension",
            "goldt-2020-covariance",
            ROLE,
        ),
        ("generator", "np.sqrt(2 / x.shape[1])", "np.sqrt(2 / ambient)", "data/test_manifold_laws", ROLE),
        ("helix", "t / (2 * np.pi)", "t", "data/test_manifold_laws", TERM),
        ("swiss_roll", "1.5 * np.pi", "0.5 * np.pi", "data/test_manifold_laws", CONSTANT),
        (
            "_embed",
            "noise * rng.standard_normal(points.shape)",
            "noise * rng.random(points.shape)",
            "data/test_manifold_laws",
            ROLE,
        ),
        ("sphere", "dimension + 1", "dimension", "hein-audibert-2005", TERM),
        (
            "sphere",
            "radius * g / np.linalg.norm(g, axis=1, keepdims=True)",
            "g / np.linalg.norm(g, axis=1, keepdims=True)",
            "data/test_points_and_targets",
            FORMULA,
        ),
        (
            "cube",
            "rng.uniform(0, 1, (n, dimension))",
            "rng.uniform(-1, 1, (n, dimension))",
            "data/test_points_and_targets",
            FORMULA,
        ),
        ("moebius", "rng.uniform(-0.5, 0.5, n)", "rng.uniform(-1, 1, n)", "data/test_points_and_targets", CONSTANT),
        (
            "torus",
            "np.concatenate([np.cos(angles), np.sin(angles)], axis=1)",
            "np.concatenate([np.cos(angles), np.cos(angles)], axis=1)",
            "data/test_points_and_targets",
            FORMULA,
        ),
    ),
    *within(
        "data._points",
        ("moons", "0.5 - np.sin(angle)", "1 - np.sin(angle)", "data/test_points_and_targets", CONSTANT),
        ("circles", "np.where(y == 0, 1.0, factor)", "np.where(y == 1, 1.0, factor)", "data/test_points_and_targets", CONSTANT),
        ("spirals", "np.sqrt(rng.uniform(0.02, 1.0, n))", "rng.uniform(0.02, 1.0, n)", "data/test_points_and_targets", FORMULA),
        (
            "spirals",
            "2 * np.pi * turns * radius + np.pi * y",
            "np.pi * turns * radius + np.pi * y",
            "data/test_points_and_targets",
            FORMULA,
        ),
        ("spirals", "0.92 * radius[:, None]", "radius[:, None]", "data/test_points_and_targets", TERM),
        ("blobs", "2 * np.pi * y / classes", "np.pi * y / classes", "data/test_points_and_targets", FORMULA),
    ),
    *within(
        "data._readers",
        (
            "_upstream_cora",
            "np.arange(n_train, n_train + 500)",
            "np.arange(n_train, n_train + 1000)",
            "data/test_formats",
            CONSTANT,
        ),
        ("_upstream_cora", "np.sort(order)", "order", "data/test_formats", TERM),
        (
            "_photographs",
            "records[:, 1:].reshape(-1, 3, 32, 32)",
            "records[:, 1:].reshape(-1, 32, 32, 3).transpose(0, 3, 1, 2)",
            "data/test_formats",
            FORMULA,
        ),
        ("_photographs", "records[:, 0]", "records[:, 1]", "data/test_formats", CONSTANT),
        (
            "_pairs",
            "[(g, e) for g, e in zip(german, english, strict=True) if g or e]",
            "[(e, g) for g, e in zip(german, english, strict=True) if g or e]",
            "data/test_formats",
            ROLE,
        ),
    ),
    *within(
        "data._scenes",
        (
            "scenes",
            "square <= 9 if k == 0 else apart <= 2",
            "square <= 9 if k == 0 else apart <= 3",
            "data/test_points_and_targets",
            CONSTANT,
        ),
        ("scenes", "np.asarray(masks.any(axis=(2, 3)))", "there", "data/test_points_and_targets", TERM),
        ("scenes", "rng.random((n, 3)) < 0.5", "rng.random((n, 3)) < 0.8", "data/test_points_and_targets", CONSTANT),
        (
            "scenes",
            "np.where(square <= 2, 0.5, 1.0)",
            "np.where(square <= 2, 1.0, 0.5)",
            "data/test_points_and_targets",
            CONSTANT,
        ),
    ),
    *within(
        "data._targets",
        (
            "target",
            "rng.uniform(-1.0 if '[-1, 1]' in about else 0.0, 1.0, (n, n_inputs))",
            "rng.uniform(0.0, 1.0, (n, n_inputs))",
            "data/test_points_and_targets",
            TERM,
        ),
        (
            "_waves",
            "np.sin(2 * np.pi * x) * np.sin(2 * np.pi * y)",
            "np.sin(np.pi * x) * np.sin(np.pi * y)",
            "data/test_points_and_targets",
            FORMULA,
        ),
        (
            "TARGETS",
            "lambda x: np.sin(10 * np.pi * x * x)",
            "lambda x: np.sin(5 * np.pi * x * x)",
            "data/test_points_and_targets",
            CONSTANT,
        ),
        (
            "TARGETS",
            "lambda x, y: np.sin(np.pi * np.hypot(x, y))",
            "lambda x, y: np.sin(np.pi * (x * x + y * y))",
            "data/test_points_and_targets",
            FORMULA,
        ),
        ("TARGETS", "lambda x: (x > 0.5) * 1.0", "lambda x: (x > 0.0) * 1.0", "data/test_points_and_targets", CONSTANT),
    ),
)
