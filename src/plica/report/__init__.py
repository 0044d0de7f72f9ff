"""One self-contained HTML file: the picture, the numbers and what kind of numbers they are."""

from plica.report._complex import complex_page
from plica.report._demo import Command, Moment, demo_page
from plica.report._scoreboard import scoreboard_page

__all__ = ["Command", "Moment", "complex_page", "demo_page", "scoreboard_page"]
