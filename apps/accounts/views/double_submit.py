"""Buttons of the sign-in library that were pressed twice, while the first answer was on its way: the second press finds
made what it would make, and leads to where the first did. The library would take that for a fault of ours."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from django.db import IntegrityError
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect

_View = TypeVar("_View", bound=Callable[..., HttpResponseBase])


def tolerate_double_submit(view: _View, *, then: str) -> _View:
    """The view; where two come at once, the later is led to the address of this name. With all that the library's own
    decorators say of it."""

    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except IntegrityError:
            return redirect(then)

    return answered  # type: ignore[return-value]  # as `wraps` leaves it
