"""Pages for what went wrong between a browser and us. They say what happened and what to do, never more."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import loader
from django.views.decorators.csrf import requires_csrf_token


@requires_csrf_token
def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404: there is no such page, or it is somebody else's. The two look the same."""
    del exception  # its text may hold an address
    return render(request, "404.html", status=404)


@requires_csrf_token
def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """403: signed in, but not for this."""
    del exception
    return render(request, "403.html", status=403)


@requires_csrf_token
def too_many_tries(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """429: the sign-in library counted too many tries."""
    del exception
    return render(request, "429.html", status=429)


def failed(request: HttpRequest) -> HttpResponse:
    """500: ours. Rendered without request or database, which may be what failed."""
    del request
    return HttpResponse(loader.render_to_string("500.html"), status=500)


@requires_csrf_token
def page_out_of_date(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The form's token does not fit: the page was open too long, or cookies were cleared. Nothing was done."""
    del reason
    return render(request, "403_csrf.html", status=403)
