"""The views beside the plane: each is one function from a state to a sheet of panels with readings."""

from plica.web.views._sheet import Sheet
from plica.web.views._table import SHEETS, sheet_of

__all__ = ["SHEETS", "Sheet", "sheet_of"]
