"""Launch the site from a provider's own portal as a browser does: the launch URL, its redirects, and the sign-in."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.directory.models import Endpoint

LAUNCH = "launch-canary-9c27"


@pytest.fixture
def smart_place(make_place: Any) -> Any:
    """An organization of a SMART deployment whose addresses were found just now."""
    place = make_place(
        "Willow Creek", path="/b", uses_pkce=True, authentication="client_secret_basic", smart_version="v1"
    )
    make_smart(place.endpoint)
    return place


def make_smart(endpoint: Endpoint) -> None:
    """As if it had been discovered."""
    now = timezone.now()
    Endpoint.objects.filter(pk=endpoint.pk).update(
        interface="smart", dialect="smart", discovered_at=now, discovery_tried_at=now
    )
    endpoint.refresh_from_db()


def link(place: Any, **query: Any) -> tuple[str, dict[str, Any]]:
    """The address a portal opens, and its query as written."""
    return f"/connect/launch/{place.registration.launch_id}/", {
        "iss": place.endpoint.fhir_base_url,
        "launch": LAUNCH,
        **query,
    }


def arrive(client: Client, place: Any, **query: Any) -> str:
    """Open the link, and be where it leads."""
    address, sent = link(place, **query)
    answer = client.get(address, sent)
    assert answer.status_code == 303, answer.status_code
    return str(answer["Location"])


def departure(client: Client, page: str) -> str:
    """Press the button, and read where the browser is sent."""
    answer = client.post(page)
    assert answer.status_code == 303, answer.content.decode()
    leaving = client.get(answer["Location"]).content.decode()
    found = re.search(r'<a class="button" href="(http[^"]+)"', leaving)
    assert found is not None
    return unescape(found[1])
