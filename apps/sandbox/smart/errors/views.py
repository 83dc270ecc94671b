"""The page behind an `error_uri`. It explains one error to a person, and shows nothing from its query."""

from urllib.parse import unquote
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from apps.sandbox.smart.errors.catalogue import ERRORS, NAMESPACE


@require_GET
def explain(request: HttpRequest, urn: str, instance: UUID) -> HttpResponse:
    """What happened, in words, with the URN for developers. 404 for an unknown error."""
    name = unquote(urn).removeprefix(NAMESPACE)  # decoded once more: people open URLs that they found encoded twice
    if name not in ERRORS:
        raise Http404
    context = {"urn": NAMESPACE + name, "words": ERRORS[name], "instance": instance}
    return render(request, "sandbox/smart/error.html", context)
