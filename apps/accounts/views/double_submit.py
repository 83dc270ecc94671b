"""Tolerate a form of the sign-in library that is submitted twice.

The second request arrives while the first is being answered, and finds that the row exists already. The library would
answer 500; here the browser is redirected to where the first request leads.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from django.db import IntegrityError
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect

_View = TypeVar("_View", bound=Callable[..., HttpResponseBase])


def tolerate_double_submit(view: _View, *, then: str) -> _View:
    """The view; of two requests at the same time, the later is redirected to the URL name `then`. Attributes that the
    library's decorators set on the view are kept."""

    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except IntegrityError:
            return redirect(then)

    return answered  # type: ignore[return-value]  # as `wraps` leaves it
