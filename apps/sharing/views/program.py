"""Answers to a program that follows a SMART Health Link (for the specification see `apps.sharing.health_links`)."""

import logging

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.urls import reverse
from django.utils import timezone

from apps.sharing import fetching, rate_limit
from apps.sharing.health_links import manifest_requests, manifests
from apps.sharing.health_links.cross_origin import from_any_origin
from apps.sharing.health_links.manifest_requests import LONGEST_BODY, Refusal
from apps.sharing.rate_limit import TooOften
from apps.sharing.visiting import Over, Refused
from apps.vault.errors import Shredded, VaultError

_LOG = logging.getLogger(__name__)
_UNAUTHORIZED = 401
_UNAVAILABLE = 503
_TOO_MANY = 429


@from_any_origin("POST")
def show_manifest(request: HttpRequest, token: str) -> HttpResponse:
    """The manifest, for whoever posts the passcode."""
    asked = manifest_requests.read(_body(request))
    if isinstance(asked, Refusal):
        return _json(manifests.refused(asked), status=asked.status)

    def address(ticket: str) -> str:
        return settings.SITE_ORIGIN + reverse("shared_file", args=[token, ticket])

    try:
        return _json(fetching.manifest(token, asked, address=address, at=timezone.now()))
    except Refused as refused:
        return _json(manifests.wrong_passcode(refused.tries_left), status=_UNAUTHORIZED)
    except TooOften:
        return _too_often()
    except (Over, VaultError) as error:
        return _nothing(error)


@from_any_origin("GET", "HEAD")
def show_file(_request: HttpRequest, token: str, ticket: str) -> HttpResponse:
    """A file that is too long for the manifest."""
    try:
        file = fetching.file(token, ticket, at=timezone.now())
    except TooOften:
        return _too_often()
    except (Over, VaultError) as error:
        return _nothing(error)
    return HttpResponse(file, content_type=manifests.FILE_TYPE)


def _nothing(error: Over | VaultError) -> HttpResponse:
    """404 if the share is over, or its owner closed the account a moment ago. 503 if a value does not open: the site's
    page for that could not be read by a page of another origin."""
    if isinstance(error, Over | Shredded):
        raise Http404 from None
    _LOG.error("A health link could not be answered: %s", error)
    return HttpResponse(status=_UNAVAILABLE)


def _body(request: HttpRequest) -> bytes:
    """The body, up to the longest that is read; empty if the program disconnected, which is not our fault."""
    try:
        return request.read(LONGEST_BODY + 1)
    except UnreadablePostError:
        return b""


def _too_often() -> HttpResponse:
    return HttpResponse(status=_TOO_MANY, headers={"Retry-After": str(rate_limit.SECONDS)})


def _json(body: bytes, *, status: int = 200) -> HttpResponse:
    return HttpResponse(body, content_type=manifests.MANIFEST_TYPE, status=status)
