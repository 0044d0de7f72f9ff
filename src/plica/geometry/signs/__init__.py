"""The one room that decides signs: doubles with a bound, extended precision, integers."""
