"""The explorer: regions of a network in the browser, exact, while it learns."""

from plica.web._bundle import bundle
from plica.web._lessons import lesson
from plica.web._limits import Limits
from plica.web._offline import Frame, frames_of, scenes_page
from plica.web._serve import serve
from plica.web._state import State

__all__ = ["Frame", "Limits", "State", "bundle", "frames_of", "lesson", "scenes_page", "serve"]
