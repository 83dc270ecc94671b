"""A FHIR base URL in a launch is matched to an endpoint of ours despite spelling, and to nothing else."""

import pytest

from apps.directory import registering, served_endpoints
from apps.directory.models import Endpoint

pytestmark = pytest.mark.django_db

ROOT = "https://fhir.example.org/r4/-Zr8vQ2mXt5kWb7nJc4dLh9sPf3gYy1T/"


@pytest.fixture
def endpoint(make_provider, make_endpoint):
    """A tenant of a SMART deployment, written with a closing slash as its directory writes it."""
    return make_endpoint(make_provider("Willow Creek"), fhir_base_url=ROOT, interface="smart", dialect="smart")


def found_from(endpoint: Endpoint, written: str) -> Endpoint | None:
    """What the registration that serves this endpoint finds at an address."""
    registration = registering.standing_at(endpoint)
    assert registration is not None
    return served_endpoints.endpoint_at(registration, written)


class TestAnEndpoint:
    @pytest.mark.conformance("C28")
    @pytest.mark.parametrize(
        "written",
        [
            ROOT,
            ROOT.removesuffix("/"),
            ROOT.replace("https://fhir", "HTTPS://FHIR"),
            ROOT.replace("example.org", "Example.ORG"),
        ],
    )
    def test_is_known_by_its_root_however_it_is_spelled(self, endpoint, written):
        assert found_from(endpoint, written) == endpoint

    @pytest.mark.conformance("C28")
    @pytest.mark.parametrize(
        "written",
        [
            "",
            "/",
            ROOT + "/",
            ROOT + "?a",
            ROOT + "#a",
            ROOT.replace("-Zr8", "-zr8"),
            ROOT.replace("https", "http"),
            ROOT.replace(".org", ".org:443"),
            ROOT.replace(".org", ".org."),
            ROOT.replace("https://", "https://user@"),
            ROOT.replace("https://", "https:///"),
            ROOT.replace("/r4/", "/dstu2/"),
            ROOT.replace("/r4/", "/%72%34/"),
            ROOT.replace("/r4/", "/./r4/"),
            "https://fhir.example.org",
            f" {ROOT}",
        ],
    )
    def test_is_known_by_nothing_else(self, endpoint, written):
        assert found_from(endpoint, written) is None

    def test_is_served_by_its_own_registration_alone(self, endpoint, make_provider, make_endpoint):
        other = make_endpoint(make_provider("Riverside"), host="other.example.org", interface="smart", dialect="smart")
        assert found_from(other, ROOT) is None
