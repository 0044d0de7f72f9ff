"""Complexes for other tools: graphs, polygons, meshes, rational text, filtered simplices."""
