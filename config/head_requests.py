"""HEAD is answered like GET, but ends with the headers (RFC 9110, section 9.3.2).

Django leaves dropping the body to the server, and gunicorn logs a warning about each: a monitor that sends HEAD would
fill the log.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase


class HeadRequestMiddleware:
    """Middleware: drop the body of a response to HEAD. Its Content-Length stays that of GET."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The response, without its body for HEAD."""
        response = self.get_response(request)
        if request.method == "HEAD":
            if isinstance(response, StreamingHttpResponse):
                response.streaming_content = ()
            elif isinstance(response, HttpResponse):
                response.content = b""
        return response
