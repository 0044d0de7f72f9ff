"""Cells of a plane as polygons: GeoJSON and shapely."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plica.geometry.export._missing import imported

if TYPE_CHECKING:
    from plica.geometry.plane._complex import PlaneComplex


def to_geojson(cx: PlaneComplex) -> dict[str, Any]:
    """A FeatureCollection (RFC 7946: rings are closed and counter-clockwise) in the parameters of the domain."""
    areas, regions, means = cx.sizes(), cx.regions, cx.cell_means(cx.outputs)
    features = []
    for i, polygon in enumerate(cx.cell_polygons()):
        ring = [*polygon.tolist(), polygon[0].tolist()]
        features.append(
            {
                "type": "Feature",
                "id": i,
                "geometry": {"type": "Polygon", "coordinates": [ring]},
                "properties": {"region": int(regions[i]), "area": float(areas[i]), "mean_outputs": means[i].tolist()},
            }
        )
    return {"type": "FeatureCollection", "features": features}


def to_shapely(cx: PlaneComplex) -> list[Any]:
    """Polygons in the order of the cells, made in one call."""
    shapely = imported("shapely")
    offsets, corners = cx.cell_offsets, cx.cell_vertices
    sizes = np.diff(offsets)
    closed = np.insert(corners, offsets[1:], corners[offsets[:-1]])  # every ring ends where it starts
    rings = shapely.linearrings(cx.vertices[closed], indices=np.repeat(np.arange(cx.n_cells), sizes + 1))
    return list(shapely.polygons(rings))
