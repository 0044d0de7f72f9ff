"""Properties that are computed once, without a lock.

The ``functools.cached_property`` of Python 3.11 holds one lock for all instances of a class while it computes: threads wait for
each other, and a process that is forked meanwhile waits for ever. Here two threads may compute one value twice; both are right.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property as cached_property
else:

    class cached_property:  # noqa: N801
        """A method whose value replaces it in the instance's dictionary when it is first read.

        Examples
        --------
        >>> class Circle:
        ...     @cached_property
        ...     def area(self):
        ...         print("computed")
        ...         return 3.14
        >>> circle = Circle()
        >>> circle.area
        computed
        3.14
        >>> circle.area
        3.14
        """

        def __init__(self, func: Callable[[Any], Any]) -> None:
            self.func, self.attrname, self.__doc__ = func, None, func.__doc__
            self.__module__ = func.__module__

        def __set_name__(self, owner: type, name: str) -> None:
            self.attrname = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            return instance.__dict__.setdefault(self.attrname, self.func(instance))


__all__ = ["cached_property"]
