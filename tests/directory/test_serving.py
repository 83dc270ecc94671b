"""Which endpoints a client registration serves, by the FHIR base URL that somebody else names."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db.models.signals import post_init

from apps.audit.recording import Actor
from apps.directory import enabling, serving
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint
from tests.directory.conftest import AT
from tests.directory.smart_deployment import LOGIN, register

pytestmark = pytest.mark.django_db

ROOT = "https://fhir.example/r4/Tenant-One"


def tenant(root: str, name: str = "one") -> Endpoint:
    server, _created = AuthorizationServer.objects.get_or_create(
        authorize_url=f"https://login.example/{name}/authorize",
        token_url=f"https://login.example/{name}/token",
        defaults={"source": "discovered", "found_at": AT},
    )
    return Endpoint.objects.create(
        fhir_base_url=root,
        fhir_version="r4",
        interface="smart",
        dialect="smart",
        authorization_server=server,
        imported_at=AT,
    )


def registered_at(endpoint: Endpoint) -> ClientRegistration:
    assert endpoint.authorization_server is not None
    return register(endpoint.authorization_server)


@contextmanager
def counted_endpoints() -> Iterator[list[Endpoint]]:
    """Every endpoint that was made of a row meanwhile."""
    made: list[Endpoint] = []

    def count(instance: Endpoint, **_rest: object) -> None:
        made.append(instance)

    post_init.connect(count, sender=Endpoint)
    try:
        yield made
    finally:
        post_init.disconnect(count, sender=Endpoint)


class TestAnEndpointThatIsNamedFromOutside:
    @pytest.mark.parametrize("spelled", [ROOT, f"{ROOT}/", "HTTPS://FHIR.Example/r4/Tenant-One"])
    def test_is_found_whatever_the_case_of_its_host_and_with_a_slash_or_without(self, spelled):
        endpoint = tenant(ROOT)
        registration = registered_at(endpoint)
        assert serving.endpoint_at(registration, spelled) == endpoint

    @pytest.mark.parametrize(
        "spelled",
        [
            "https://fhir.example/r4/tenant-one",
            f"{ROOT}//",
            f"{ROOT}?a=b",
            f"{ROOT}\0",
            f"{ROOT}\ud800",
            "http://fhir.example/r4/Tenant-One",
            "https://fhir.example:444/r4/Tenant-One",
            "https://fhir.example/r4/%",
            LOGIN,
            "",
        ],
    )
    def test_is_not_found_by_anything_else(self, spelled):
        registration = registered_at(tenant(ROOT))
        assert serving.endpoint_at(registration, spelled) is None

    def test_is_none_that_another_registration_serves(self):
        registration = registered_at(tenant(ROOT))
        other = tenant("https://fhir.example/r4/two", "two")
        registered_at(other)
        assert serving.endpoint_at(registration, other.fhir_base_url) is None

    def test_is_found_without_a_look_at_every_organization_of_the_deployment(self):
        registration = registered_at(tenant(ROOT))
        for number in range(5):
            beside = tenant(f"https://fhir.example/r4/{number}", f"beside-{number}")
            enabling.serve(registration, beside, actor=Actor.system("test"), at=AT)
        with counted_endpoints() as made:
            assert serving.endpoint_at(registration, "https://fhir.example/r4/3/") is not None
        assert len(made) == 1
