"""No page of another origin takes in what we answer, be it as a picture, a script or a style sheet.

A neighbor below the same domain sends our cookies along; without this its page would have ours in its own memory, and
learn how large they are. What programs may read of a share they ask for by CORS, which this leaves alone.
"""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase


class CrossOriginResourcePolicyMiddleware:
    """Middleware: `Cross-Origin-Resource-Policy` on every answer, files and refusals included."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """As it comes, with the header."""
        response = self.get_response(request)
        response["Cross-Origin-Resource-Policy"] = "same-origin"
        return response
