"""The page behind an `error_uri`. It explains one fault to a person and shows nothing that came in its query."""

from urllib.parse import unquote
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from apps.sandbox.smart.errors.catalogue import ERRORS, NAMESPACE


@require_GET
def explain(request: HttpRequest, urn: str, instance: UUID) -> HttpResponse:
    """What happened, in words, with the URN for whoever mends it. 404 for a fault nobody names."""
    name = unquote(urn).removeprefix(NAMESPACE)  # once more: people open what they found encoded twice
    if name not in ERRORS:
        raise Http404
    context = {"urn": NAMESPACE + name, "words": ERRORS[name], "instance": instance}
    return render(request, "sandbox/smart/error.html", context)
