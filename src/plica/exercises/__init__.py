"""Exercises for five lectures: a student builds a network or finds a number, and the engine grades it exactly.

>>> from plica.exercises import exercises, grade
>>> grade("five-lines", 15)
<Grade no: 15 is not the number of regions of 5 lines in general position>
>>> len(exercises("4")) >= 5
True

Solutions are in :mod:`plica.exercises.solutions`, apart from the tasks.
"""

from plica.exercises import _approximation, _arrangements, _depth, _learning, _talk  # noqa: F401 - they register their tasks
from plica.exercises._exercise import Exercise, Grade, exercise, exercises, grade

__all__ = ["Exercise", "Grade", "exercise", "exercises", "grade"]
