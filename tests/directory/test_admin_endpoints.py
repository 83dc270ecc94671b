"""Endpoints, providers and checks in the admin: how staff find them, what they read, and what they can do."""

import re
from datetime import timedelta

import pytest
from django.utils import formats, timezone

from apps.audit.models import AuditEvent
from apps.directory.admin import endpoint_pages
from apps.directory.linkability import Obstacle
from apps.directory.models import AuthorizationServer, EndpointCheck, Provider
from apps.directory.monitoring import link_statistics
from apps.directory.monitoring.link_statistics import Ending
from tests.directory.test_checking import statement
from tests.wire.servers import http, serving

pytestmark = pytest.mark.django_db

ENDPOINTS = "/admin/directory/endpoint/"
PROVIDERS = "/admin/directory/provider/"


@pytest.fixture
def endpoints(make_provider, make_endpoint):
    """One of each kind that a question tells apart; linkable are "fine" and those that only a check found ill."""
    now = timezone.now()
    made = {
        "fine": make_endpoint(make_provider("Fine", city="Salem"), host="fine.example", tenant="t-77"),
        "ill": make_endpoint(make_provider("Ill"), host="ill.example", disagreements=["token_url differs"]),
        "vanished": make_endpoint(make_provider("Vanished"), host="vanished.example", vanished_at=now),
        "off": make_endpoint(make_provider("Off"), host="off.example", is_switched_on=False),
    }
    for name, outcome, days in (("fine", "well", 90), ("ill", "ill", 20)):
        EndpointCheck.objects.create(
            endpoint=made[name],
            checked_at=now,
            outcome=outcome,
            faults=["no_metadata"] if outcome == "ill" else [],
            certificate_ends_at=now + timedelta(days=days),
        )
    return made


def found(staff, address=ENDPOINTS, **query):
    """Which rows the list shows, by the first part of their host, or by name."""
    answer = staff.get(address, query)
    assert answer.status_code == 200
    rows = list(answer.context["cl"].result_list)
    return {getattr(row, "fhir_base_url", "https://" + str(row).lower()).split("/")[2].split(".")[0] for row in rows}


class TestTheListOfEndpoints:
    def test_says_in_a_few_words_why_one_cannot_be_linked(self, staff, endpoints):
        page = staff.get(ENDPOINTS, {"q": "off.example"}).content.decode()
        assert "switched off" in page
        assert str(Obstacle.SWITCHED_OFF.label) not in page
        one = staff.get(f"{ENDPOINTS}{endpoints['off'].pk}/change/").content.decode()
        assert str(Obstacle.SWITCHED_OFF.label) in one

    def test_says_what_an_interface_is_called(self, staff, endpoints):
        page = staff.get(ENDPOINTS).content.decode()
        assert "Patient access API" in page
        assert "PATIENT_ACCESS" not in page

    @pytest.mark.parametrize("obstacle", Obstacle)
    def test_has_few_words_for_each_reason(self, obstacle):
        assert len(str(endpoint_pages.IN_SHORT[obstacle])) < 25


class TestAQuestion:
    @pytest.mark.parametrize(
        ("question", "answer", "rows"),
        [
            ("linkable", "yes", {"fine", "ill"}),
            ("linkable", "no", {"vanished", "off"}),
            ("ill", "yes", {"ill"}),
            ("ill", "no", {"fine"}),
            ("ill", "unchecked", {"vanished", "off"}),
            ("ends", "yes", {"ill"}),
            ("listed", "no", {"vanished"}),
            ("listed", "yes", {"fine", "ill", "off"}),
            ("disagrees", "yes", {"ill"}),
            ("disagrees", "no", {"fine", "vanished", "off"}),
            ("off", "yes", {"off"}),
            ("sandbox", "yes", set()),
            ("ill", "made up", {"fine", "ill", "vanished", "off"}),
        ],
    )
    def test_is_answered_by_the_rows_it_is_true_of(self, staff, endpoints, question, answer, rows):
        assert found(staff, **{question: answer}) == rows

    @pytest.mark.parametrize(
        ("answer", "rows"), [("yes", {"fine", "ill", "site"}), ("no", {"vanished", "off", "nowhere"})]
    )
    def test_about_a_provider_counts_the_system_it_is_part_of(self, staff, endpoints, make_provider, answer, rows):
        make_provider("Site", part_of=Provider.objects.get(name="Fine"))
        make_provider("Nowhere")
        assert found(staff, PROVIDERS, linkable=answer) == rows

    def test_is_written_as_one(self, staff, endpoints):
        page = staff.get(ENDPOINTS).content.decode()
        for question in (
            "Can patients link it?", "Did its last check fail?", "Does its certificate end soon?",
            "Is it still on its list?", "Do its documents disagree?",
        ):  # fmt: skip
            assert question in page


class TestASearch:
    @pytest.mark.parametrize("words", ["fine.example", "Fine", "salem", "t-77", "fine salem"])
    def test_finds_an_endpoint_by_what_staff_know(self, staff, endpoints, words):
        assert found(staff, q=words) == {"fine"}

    @pytest.mark.parametrize("words", ["fine", "SALEM", "fine.example"])
    def test_finds_a_provider(self, staff, endpoints, words):
        assert found(staff, PROVIDERS, q=words) == {"fine"}


class TestAPage:
    def test_asks_no_more_for_many_rows_than_for_few(
        self, staff, endpoints, make_provider, make_endpoint, django_assert_max_num_queries
    ):
        with django_assert_max_num_queries(30) as few:
            staff.get(ENDPOINTS)
        for number in range(10):
            endpoint = make_endpoint(make_provider(f"More {number}"), host=f"more{number}.example")
            EndpointCheck.objects.create(endpoint=endpoint, checked_at=timezone.now(), outcome="well")
        with django_assert_max_num_queries(len(few)):
            staff.get(ENDPOINTS)

    def test_of_an_endpoint_says_how_it_is_and_how_links_went(self, staff, endpoints):
        check = endpoints["fine"].checks.get()
        check.software, check.types = "Millennium 1", ["Goal"]
        check.changes = [{"what": "types_added", "host": "", "before": "", "after": "Goal"}]
        ends = "2027-01-05T00:00:00+00:00"
        check.certificates = [{"host": "fine.example", "issuer": "R3", "ends_at": ends, "tls_version": "TLSv1.3"}]
        check.save()
        for ending in (Ending.COMPLETED, Ending.COMPLETED, Ending.FAILED_THERE):
            link_statistics.note(endpoints["fine"], ending, at=timezone.now())
        page = staff.get(f"{ENDPOINTS}{endpoints['fine'].pk}/change/").content.decode()
        for said in (
            "It now offers Goal.", "Millennium 1", "fine.example: until January 5, 2027, issued by R3, TLSv1.3",
            "Connected: 2 of 3 (67 %)", "Failed at the provider: 1", f"endpoint__id__exact={endpoints['fine'].pk}",
        ):  # fmt: skip
            assert said in page
        assert f"Last success: {formats.date_format(timezone.now().date())}" in page
        assert re.search(r">[^<]*20\d\d-\d\d-\d\d[^<]*<", page) is None  # dates are written in one way
        provider = endpoints["fine"].providers.get()
        page = staff.get(f"{PROVIDERS}{provider.pk}/change/").content.decode()
        assert "Connected: 2 of 3 (67 %)" in page
        assert f"{ENDPOINTS}{endpoints['fine'].pk}/change/" in page

    def test_shows_what_servers_said_as_text(self, staff, endpoints):
        check = endpoints["fine"].checks.get()
        check.software = "<script>alert(1)</script>"
        check.changes = [{"what": "software", "host": "", "before": "<b>old</b>", "after": "<i>new</i>"}]
        check.save()
        addresses = [
            f"{ENDPOINTS}{endpoints['fine'].pk}/change/", "/admin/directory/endpointcheck/",
            f"/admin/directory/endpointcheck/{check.pk}/change/",
        ]  # fmt: skip
        for address in addresses:
            page = staff.get(address).content.decode()
            assert "&lt;i&gt;new&lt;/i&gt;" in page
            assert not any(markup in page for markup in ("<script>alert", "<b>old", "<i>new"))

    def test_of_a_provider_keeps_names_with_commas_whole(self, staff, endpoints):
        provider = endpoints["fine"].providers.get()
        fields = {
            "name": "Fine", "aliases": "Fine, Inc.\nThe Fine One", "kind": "hospital", "part_of": "", "city": "Salem",
            "state": "", "postal_code": "", "website": "", "directory": "tests", "directory_id": "Fine",
        }  # fmt: skip
        assert staff.post(f"{PROVIDERS}{provider.pk}/change/", fields).status_code == 302
        provider.refresh_from_db()
        assert provider.aliases == ["Fine, Inc.", "The Fine One"]
        assert AuditEvent.objects.get(event="directory.changed").facts == {
            "action": "changed", "changed": "aliases kind"
        }  # fmt: skip


class TestCheckingNow:
    def check(self, staff, rows):
        data = {"action": "check_now", "_selected_action": [str(row.pk) for row in rows]}
        return staff.post(ENDPOINTS, data, follow=True).content.decode()

    def test_looks_and_says_what_was_found(self, staff, make_provider, make_endpoint):
        with serving(http(200, statement())) as server:
            endpoint = make_endpoint(make_provider("Harbor"), fhir_base_url=server.url("/fhir"))
            AuthorizationServer.objects.update(authorize_url=server.url("/a"), token_url=server.url("/t"))
            assert f"Well: {server.url('/fhir')}<" in self.check(staff, [endpoint])
            server.answer = lambda _request: [http(200, statement(version="1.0.2", kind="Conformance"))]
            page = self.check(staff, [endpoint])
        said = "It states another FHIR version than the directory does. It now states FHIR dstu2."
        assert f"Ill: {server.url('/fhir')} {said}" in page
        assert endpoint.checks.count() == 2

    def test_begins_no_more_where_the_others_took_too_long(self, staff, endpoints, monkeypatch):
        monkeypatch.setattr("apps.directory.admin.endpoints.WAITS_SECONDS", -1)
        page = self.check(staff, [endpoints["fine"]])
        assert f"Not checked, because the others took too long: {endpoints['fine']}" in page
        assert endpoints["fine"].checks.count() == 1

    def test_is_for_ten_at_most(self, staff, make_provider, make_endpoint):
        rows = [make_endpoint(make_provider(str(n)), host=f"h{n}.example") for n in range(11)]
        page = self.check(staff, rows)
        assert "At most 10 at once: for more, use the command check_endpoints." in page
        assert not EndpointCheck.objects.exists()

    def test_is_not_for_patients(self, client, sam, endpoints):
        client.force_login(sam, backend="allauth.account.auth_backends.AuthenticationBackend")
        before = EndpointCheck.objects.count()
        for address in (ENDPOINTS, "/admin/directory/endpointcheck/", f"{ENDPOINTS}{endpoints['fine'].pk}/change/"):
            assert client.get(address).status_code == 302
        data = {"action": "check_now", "_selected_action": [str(endpoints["fine"].pk)]}
        assert client.post(ENDPOINTS, data).status_code == 302
        assert EndpointCheck.objects.count() == before


class TestAListOfChecks:
    def test_is_of_one_endpoint_where_its_page_leads_there(self, staff, endpoints):
        answer = staff.get(f"/admin/directory/endpointcheck/?endpoint__id__exact={endpoints['fine'].pk}")
        assert [row.endpoint for row in answer.context["cl"].result_list] == [endpoints["fine"]]

    @pytest.mark.parametrize(
        ("question", "hosts"),
        [
            ({"ill": "yes"}, ["ill"]),
            ({"ill": "no"}, ["fine"]),
            ({"latest": "no"}, []),
            ({"changed": "yes"}, ["fine"]),
            ({"q": "ill.example"}, ["ill"]),
        ],
    )
    def test_is_asked_questions(self, staff, endpoints, question, hosts):
        endpoints["fine"].checks.update(changes=[{"what": "offers", "host": "", "before": "", "after": ""}])
        rows = staff.get("/admin/directory/endpointcheck/", question).context["cl"].result_list
        assert [row.endpoint for row in rows] == [endpoints[host] for host in hosts]

    def test_takes_no_change(self, staff, endpoints):
        check = endpoints["fine"].checks.get()
        for page in ("add/", f"{check.pk}/delete/"):
            assert staff.post(f"/admin/directory/endpointcheck/{page}").status_code == 403
        assert staff.post(f"/admin/directory/endpointcheck/{check.pk}/change/", {"outcome": "ill"}).status_code == 403
