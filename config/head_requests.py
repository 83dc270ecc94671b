"""HEAD is answered as GET is, and ends with the headers (RFC 9110, section 9.3.2).

Django leaves the rest to the server, and gunicorn writes a warning about each: a monitor that asks so would fill the
log.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase


class HeadRequestMiddleware:
    """Middleware: nothing after the headers where nobody asked for it. Their Content-Length stays that of GET."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """As it comes, or without its content."""
        response = self.get_response(request)
        if request.method == "HEAD":
            if isinstance(response, StreamingHttpResponse):
                response.streaming_content = ()
            elif isinstance(response, HttpResponse):
                response.content = b""
        return response
