"""What visitors read if a share gives nothing, and what makes every answer to them private."""

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from apps.sharing import rate_limit

_MINUTES: Final = rate_limit.SECONDS // 60


def over(request: HttpRequest) -> HttpResponse:
    """The link no longer works, or never did."""
    return private(render(request, "sharing/over.html", status=404))


def too_often(request: HttpRequest) -> HttpResponse:
    """Wait."""
    return private(render(request, "sharing/too_often.html", {"minutes": _MINUTES}, status=429))


def private(answer: HttpResponse) -> HttpResponse:
    """The answer, kept out of search engines."""
    answer["X-Robots-Tag"] = "noindex, nofollow"
    return answer
