"""Pages of other origins cannot embed our responses as an image, a script or a style sheet.

A page on a subdomain of the same site would send our cookies along; without this its process would hold our pages in
memory, and could learn their sizes. Programs that read a share use CORS, which this does not affect.
"""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase


class CrossOriginResourcePolicyMiddleware:
    """Middleware: set `Cross-Origin-Resource-Policy` on every response, files and errors included."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The response, with the header."""
        response = self.get_response(request)
        response["Cross-Origin-Resource-Policy"] = "same-origin"
        return response
