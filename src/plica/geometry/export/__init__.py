"""Complexes for other tools: graphs, polygons, meshes, rational text, filtered simplices."""

from plica.geometry.export._missing import imported

__all__ = ["imported"]
