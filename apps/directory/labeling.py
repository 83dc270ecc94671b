"""The label of a client registration for staff, commands and monitors, distinct from all others."""

import itertools
from collections.abc import Iterator
from urllib.parse import urlsplit

from apps.directory.models import AuthorizationServer, ClientRegistration, Provider

_LONGEST = 100  # the length of the part before the versions


def label_for(server: AuthorizationServer) -> str:
    """The provider and its FHIR versions; if there are several providers, the host. If another registration has that
    label, or another server the same host, parts of the address are added that distinguish them, and otherwise a
    number."""
    endpoints = server.endpoints.filter(vanished_at__isnull=True)
    versions = endpoints.order_by().values_list("fhir_version", flat=True).distinct()
    told = ", ".join(sorted(version.upper() for version in versions))
    names = Provider.objects.filter(endpoints__in=endpoints).order_by().values_list("name", flat=True).distinct()[:2]
    labels = (f"{called} ({told})" if told else called for called in _ways_to_say(server, tuple(names)))
    others = ClientRegistration.objects.exclude(authorization_server=server)
    return next(label for label in labels if not others.filter(label__iexact=label).exists())


def _ways_to_say(server: AuthorizationServer, names: tuple[str, ...]) -> Iterator[str]:
    """Labels, the shortest first, without end."""
    host, address = urlsplit(server.authorize_url).netloc, _address(server)
    if len(names) == 1:
        yield names[0][:_LONGEST]
        yield _both(names[0], host)
        called = _both(names[0], address)
    else:
        called = address[:_LONGEST]
    yield called
    yield from (f"{called} {number}" for number in itertools.count(2))


def _both(name: str, place: str) -> str:
    """A name and its place: the beginning of a long name, and the end of a long address."""
    place = place[-_LONGEST // 2 :]
    return f"{name[: _LONGEST - len(place) - len(', ')]}, {place}"


def _address(server: AuthorizationServer) -> str:
    """The host, and the parts of the path that other servers of this host do not share."""
    mine = urlsplit(server.authorize_url)
    origin = f"{mine.scheme}://{mine.netloc}/"
    others = AuthorizationServer.objects.filter(authorize_url__startswith=origin).exclude(pk=server.pk)
    paths = [_parts(url) for url in others.values_list("authorize_url", flat=True)]
    shared = set.intersection(*map(set, paths)) if paths else set(_parts(server.authorize_url))
    return "/".join([mine.netloc, *(part for part in _parts(server.authorize_url) if part not in shared)])


def _parts(url: str) -> list[str]:
    return [part for part in urlsplit(url).path.split("/") if part]
