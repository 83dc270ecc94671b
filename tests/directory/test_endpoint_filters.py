"""Filters over all endpoints, in SQL, agree with what is said about each one."""

import random
from datetime import timedelta

import pytest

from apps.directory import linkability
from apps.directory.models import AuthorizationServer, ClientRegistration, Enablement, Endpoint, EndpointCheck
from apps.directory.monitoring import endpoint_filters
from tests.directory.conftest import AT

pytestmark = pytest.mark.django_db

MINUTES = (None, 1, 14, 15, 16)


def mostly(chance: random.Random, usual, *others):
    return usual if chance.random() < 0.85 else chance.choice(others)


def ago(chance: random.Random, *usual):
    minutes = chance.choice(usual or MINUTES)
    return None if minutes is None else AT - timedelta(minutes=minutes)


def registration(chance: random.Random, server: AuthorizationServer) -> ClientRegistration:
    return ClientRegistration.objects.create(
        authorization_server=server,
        label="ours",
        status=mostly(chance, "approved", "requested", "provisional", "rejected", "retired"),
        is_switched_on=mostly(chance, True, False),
        client_id=mostly(chance, "holdfast", ""),
        authentication=chance.choice(["query", "none", "private_key_jwt", "client_secret_basic"]),
        sealed_secret=mostly(chance, b"sealed", None),
        versions_added=mostly(chance, ["dstu2", "r4"], ["r4"], ["dstu2"], []),
        trouble=mostly(chance, "", "invalid_client"),
        trouble_at=ago(chance),
        trouble_seen_at=ago(chance),
        is_sandbox=server.is_sandbox,
    )


def place(chance: random.Random, number: int) -> None:
    """An endpoint that is mostly as it should be, its authorization server, and our standing there or beside it."""
    is_sandbox = mostly(chance, False, True)
    host = f"https://login{number}.example"
    own, neighbour = (
        AuthorizationServer.objects.create(
            source="configured",
            authorize_url=f"{host}/{name}/authorize",
            token_url=f"{host}/{name}/token",
            found_at=AT,
            is_sandbox=is_sandbox,
        )
        for name in ("own", "neighbour")
    )
    endpoint = Endpoint.objects.create(
        fhir_base_url=f"{host}/fhir",
        fhir_version=chance.choice(["r4", "dstu2"]),
        interface=chance.choice(["patient-access", "smart"]),
        dialect=mostly(chance, "patient-access", "smart", "unheard-of"),
        authorization_server=mostly(chance, own, None),
        is_sandbox=is_sandbox,
        is_switched_on=mostly(chance, True, False),
        is_stranger=mostly(chance, False, True),
        discovery_fault=mostly(chance, "", "unauthorized_client", "timed_out"),
        named_token_url=mostly(chance, "", "https://new.example/token"),
        vanished_at=mostly(chance, None, AT),
        imported_at=AT,
    )
    made = [registration(chance, own)] if chance.random() < 0.7 else []
    made += [registration(chance, neighbour)] if chance.random() < 0.5 else []
    for row in made:
        if chance.random() < 0.7:
            Enablement.objects.create(
                registration=row,
                endpoint=endpoint,
                is_enabled=mostly(chance, True, False),
                since_at=AT,
                refused_at=ago(chance),
            )


class TestWhatCanBeLinked:
    @pytest.mark.parametrize("seed", range(3))
    @pytest.mark.parametrize("allows_sandbox", [True, False])
    def test_is_what_has_no_obstacle(self, seed, allows_sandbox, settings):
        settings.ALLOW_LOOPBACK_HTTP = allows_sandbox
        chance = random.Random(seed)
        for number in range(300):
            place(chance, number)
        found = set(endpoint_filters.linkable(at=AT).values_list("fhir_base_url", flat=True))
        true = {row.fhir_base_url for row in Endpoint.objects.all() if linkability.obstacle(row, at=AT) is None}
        assert found == true
        assert 20 < len(true) < 240


class TestChecks:
    @pytest.fixture
    def endpoints(self, make_provider, make_endpoint):
        made = {name: make_endpoint(make_provider(name), host=f"{name}.example") for name in ("ill", "well", "never")}
        for outcome in ("ill", "well"):
            other = {"ill": "well", "well": "ill"}[outcome]
            EndpointCheck.objects.create(endpoint=made[outcome], outcome=other, checked_at=AT, is_latest=False)
            EndpointCheck.objects.create(
                endpoint=made[outcome],
                outcome=outcome,
                checked_at=AT,
                certificate_ends_at=AT + timedelta(days=30 if outcome == "ill" else 31),
            )
        return made

    def test_are_asked_for_the_latest_alone(self, endpoints):
        assert list(endpoint_filters.ill()) == [endpoints["ill"]]
        assert list(endpoint_filters.well()) == [endpoints["well"]]
        assert list(endpoint_filters.unchecked()) == [endpoints["never"]]

    def test_tell_whose_certificate_ends_soon(self, endpoints):
        assert list(endpoint_filters.ending_soon(at=AT)) == [endpoints["ill"]]
        EndpointCheck.objects.filter(endpoint=endpoints["well"]).update(certificate_ends_at=AT - timedelta(days=1))
        assert set(endpoint_filters.ending_soon(at=AT)) == {endpoints["ill"], endpoints["well"]}
