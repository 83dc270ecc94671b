"""A registration with many endpoints at the desk: its first rows are shown, with as few queries as for one endpoint."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from apps.directory import registration_overview
from apps.directory.desk import attention
from apps.directory.models import ClientRegistration, Enablement, Endpoint, Provider, ProviderPortal
from tests.fixtures.consent import agree
from tests.portal.desk.conftest import BACKEND

pytestmark = pytest.mark.django_db(transaction=True)

MANY = 120
_OF_THE_DIRECTORY = re.compile(r'FROM "directory_(endpoint|provider|providerportal)"')
_IS_BOUNDED = re.compile(r"LIMIT \d+|COUNT\(|\bIN \((?!SELECT)|\"id\" = '")


@pytest.fixture
def registration(make_endpoint: Callable[..., Endpoint], begin: Any) -> ClientRegistration:
    """Of a SMART deployment, where one organization has a provider."""
    made: ClientRegistration = begin(make_endpoint("smart", name="Harbor"))
    return made


def grow(registration: ClientRegistration) -> None:
    """Many more endpoints with a provider each; the first endpoint has many."""
    now, first = timezone.now(), registration.authorization_server.endpoints.get()
    endpoints = [
        Endpoint(
            authorization_server=registration.authorization_server,
            fhir_base_url=f"https://harbor.example.org/{number:03}/r4/fhir",
            fhir_version="r4",
            interface="smart",
            dialect="smart",
            imported_at=now,
        )
        for number in range(MANY)
    ]
    providers = [
        Provider(directory="tests", directory_id=f"many-{number}", name=f"Practice {number:03}", imported_at=now)
        for number in range(2 * MANY)
    ]
    Endpoint.objects.bulk_create(endpoints)
    Provider.objects.bulk_create(providers)
    places = [*endpoints, *[first] * MANY]
    pairs = zip(places, providers, strict=True)
    ProviderPortal.objects.bulk_create(ProviderPortal(endpoint=place, provider=one) for place, one in pairs)


def asked(staff: Client, address: str) -> list[str]:
    """The statements of one page."""
    staff.get(address)
    with CaptureQueriesContext(connection) as found:
        assert staff.get(address).status_code == 200
    return [query["sql"] for query in found.captured_queries]


class TestAPageOfTheDesk:
    @pytest.fixture(
        params=["", "registrations/{id}/", "registrations/{id}/?step=organizations", "registrations/{id}/try/out/"]
    )
    def address(self, request: Any, registration: ClientRegistration) -> str:
        """Of each page that tells of endpoints."""
        return f"/desk/{request.param.format(id=registration.pk)}"

    def test_asks_no_more_where_there_are_many_endpoints(
        self, staff: Client, registration: ClientRegistration, address: str
    ) -> None:
        few = len(asked(staff, address))
        grow(registration)
        assert len(asked(staff, address)) <= few

    def test_reads_no_table_of_the_directory_to_its_end(
        self, staff: Client, registration: ClientRegistration, address: str
    ) -> None:
        grow(registration)
        of_the_directory = [sql for sql in asked(staff, address) if _OF_THE_DIRECTORY.search(sql)]
        assert of_the_directory
        assert [sql for sql in of_the_directory if not _IS_BOUNDED.search(sql)] == []


class TestARegistrationOfManyEndpoints:
    def test_tells_the_first_in_their_order(self, registration: ClientRegistration) -> None:
        grow(registration)
        found = registration_overview.endpoints(registration, most=3)
        urls = registration.authorization_server.endpoints.order_by("fhir_version", "fhir_base_url")
        assert found == list(urls[:3])

    def test_tells_those_beside_among_them(self, registration: ClientRegistration, make_endpoint: Any) -> None:
        beside = make_endpoint("smart", version="dstu2", name="Beside", host="harbor.example.org", path="/b")
        Enablement.objects.create(registration=registration, endpoint=beside, since_at=timezone.now())
        grow(registration)
        assert registration_overview.endpoints(registration, most=2)[0] == beside
        assert registration_overview.versions(registration) == ("r4", "dstu2")
        assert registration_overview.endpoint(registration, str(beside.pk)) == beside

    def test_says_many_where_nobody_counted(self, registration: ClientRegistration, staff: Client) -> None:
        assert registration_overview.provider_names(registration) == registration_overview.Names(
            "Harbor", 0, are_many=False
        )
        grow(registration)
        assert registration_overview.provider_names(registration).are_many
        assert "and many others" in staff.get(f"/desk/registrations/{registration.pk}/").content.decode()
        assert "and many others" in staff.get("/desk/").content.decode()

    def test_is_found_by_any_of_its_providers(self, registration: ClientRegistration) -> None:
        grow(registration)
        assert attention.find("practice 119", most=5) == [registration]
        found = registration_overview.endpoints(registration, most=5, query="practice 119")
        assert [vars(one)["provider_names"] for one in found] == [["Practice 119"]]


class TestAPageOfAPatient:
    def test_asks_no_more_of_a_provider_with_many_endpoints(self, make_endpoint: Any, begin: Any, sam: Any) -> None:
        first = make_endpoint("smart", name="Harbor")
        registration = begin(first)
        ClientRegistration.objects.update(
            status="approved", client_id="ours", authentication="none", versions_added=["r4"], is_switched_on=True
        )
        provider = first.providers.get()
        agree(sam)
        patient = Client()
        patient.force_login(sam, backend=BACKEND)
        grow(registration)
        own = [
            ProviderPortal(provider=provider, endpoint=one)
            for one in registration.authorization_server.endpoints.exclude(pk=first.pk)
        ]
        ProviderPortal.objects.bulk_create(own[:1])
        choose = reverse("choose-version", args=[provider.pk])
        leave = reverse("before-you-go", args=[provider.pk, first.pk])
        few = [len(asked(patient, address)) for address in (choose, leave)]
        ProviderPortal.objects.bulk_create(own[1:])
        assert [len(asked(patient, address)) for address in (choose, leave)] == few
