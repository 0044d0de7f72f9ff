"""Shapes of decision regions and sublevel sets: components, holes, critical points."""
