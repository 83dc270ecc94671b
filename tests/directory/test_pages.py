"""Finding a provider, and choosing a FHIR version."""

import re

import pytest
from django.test import Client

from apps.directory.models import Provider
from tests.directory.conftest import AT
from tests.fixtures.consent import agree

pytestmark = pytest.mark.django_db

BACKEND = "allauth.account.auth_backends.AuthenticationBackend"


@pytest.fixture
def patient(alice) -> Client:
    agree(alice, at=AT)
    client = Client()
    client.force_login(alice, backend=BACKEND)
    return client


def text(client: Client, address: str, headers: dict[str, str] | None = None) -> str:
    page = client.get(address, headers=headers)
    assert page.status_code == 200
    return str(page.content.decode())


class TestFindYourProvider:
    def test_is_for_people_signed_in(self, client):
        assert client.get("/providers/")["Location"].startswith("/accounts/login/")

    def test_shows_what_was_found_and_what_it_is(self, patient, make_provider, make_endpoint):
        provider = make_provider("Harbor Practice", city="Portland", state="OR", kind="practice")
        make_endpoint(provider)
        page = text(patient, "/providers/?q=harb")
        assert "1 provider found" in page
        assert "Practice · Portland, OR" in page
        assert f'href="/providers/{provider.pk}/"' in page

    def test_shows_what_cannot_be_connected_without_a_link_and_with_the_reason(
        self, patient, make_provider, make_endpoint
    ):
        provider = make_provider("Closed Clinic")
        make_endpoint(provider, registration={"status": "provisional"})
        page = text(patient, "/providers/?q=closed")
        assert "Cannot be connected" in page
        assert "This app is not approved there" in page
        assert f'href="/providers/{provider.pk}/"' not in page

    def test_shows_no_stranger_as_a_way(self, patient, make_provider, make_endpoint):
        provider = make_provider("Harbor")
        stranger = {"is_switched_on": False, "is_stranger": True}
        make_endpoint(provider, host="thief.example", **stranger)
        page = text(patient, f"/providers/{provider.pk}/")
        assert "Harbor cannot be connected yet" in page
        assert "What you already have from there stays" not in page
        make_endpoint(provider, version="dstu2")
        make_endpoint(provider, host="second.example")
        page = text(patient, f"/providers/{provider.pk}/")
        assert "thief.example" not in page
        assert "switched" not in page

    @pytest.mark.conformance("C73")
    def test_marks_practice_providers(self, patient, make_provider, make_endpoint):
        make_endpoint(make_provider("Practice Harbor", is_sandbox=True), is_sandbox=True)
        for address in ("/providers/", "/providers/?q=harbor"):
            assert "Practice provider, not real" in text(patient, address)

    def test_shows_what_was_typed_as_text(self, patient):
        page = text(patient, '/providers/?q="><script>alert(1)</script>')
        assert "<script>alert" not in page
        assert "0 providers found" in page

    @pytest.mark.parametrize("query", ["%00", "%FF%FE", "q=" * 50, "x" * 3000, "%F0%9F%92%8A"])
    def test_survives_whatever_is_typed(self, patient, query):
        assert "providers found" in text(patient, f"/providers/?q=a{query}")

    def test_answers_a_script_with_the_results_alone(self, patient, make_provider, make_endpoint):
        make_endpoint(make_provider("Harbor Practice"))
        page = text(patient, "/providers/?q=harbor", {"HX-Request": "true"})
        assert "Harbor Practice" in page
        assert "<html" not in page

    def test_answers_a_way_back_with_the_whole_page(self, patient):
        headers = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
        assert "<html" in text(patient, "/providers/?q=harbor", headers)

    def test_says_the_number_found_in_a_place_that_was_there_before(self, patient, make_provider, make_endpoint):
        make_endpoint(make_provider("Harbor Practice"))
        whole = text(patient, "/providers/")
        assert '<p id="results-said" class="visually-hidden" role="status"></p>' in whole
        part = text(patient, "/providers/?q=harbor", {"HX-Request": "true"})
        said = part.split('<p id="results-said" hx-swap-oob="innerHTML">')[1].split("</p>")[0]
        assert said.strip() == "1 provider found"


class TestChooseAVersion:
    def test_preselects_the_better_one_and_says_what_each_means(self, patient, make_provider, make_endpoint):
        provider = make_provider("Two Ways Practice")
        older = make_endpoint(provider, version="dstu2")
        newer = make_endpoint(provider, version="r4")
        page = text(patient, f"/providers/{provider.pk}/")
        assert page.index(str(newer.pk)) < page.index("checked") < page.index(str(older.pk))
        assert "Choose this one unless you were told otherwise." in page

    def test_tells_two_interfaces_apart(self, patient, make_provider, make_endpoint):
        provider = make_provider("Many Ways Practice")
        smart = {"interface": "smart", "dialect": "smart"}
        make_endpoint(provider)
        for version, status in (("r4", "approved"), ("dstu2", "requested")):
            registration = {"status": status}
            endpoint = make_endpoint(
                provider, host="smart.example.org", version=version, registration=registration, **smart
            )
            server = endpoint.authorization_server
            server.authorize_url, server.token_url = (f"https://fhir.example.org/{version}/{end}" for end in "at")
            server.save()
        page = text(patient, f"/providers/{provider.pk}/")
        assert "The newer way (FHIR R4), all at once</label>" in page
        assert "The newer way (FHIR R4), kind by kind</label>" in page
        assert "may leave some out" in page
        assert "<strong>The older way (FHIR DSTU2), kind by kind:</strong>" in page
        assert page.count("Choose this one unless you were told otherwise.") == 1
        assert page.index("Choose this one") < page.index("kind by kind</label>")
        assert "Both lead to the same sign-in" not in page

    def test_says_nothing_of_interfaces_where_there_is_one(self, patient, make_provider, make_endpoint):
        provider = make_provider("Two Ways Practice")
        for version in ("r4", "dstu2"):
            make_endpoint(provider, version=version)
        page = text(patient, f"/providers/{provider.pk}/")
        assert "The newer way (FHIR R4)</label>" in page
        assert "all at once" not in page

    def test_leads_on_with_the_choice(self, patient, make_provider, make_endpoint):
        provider = make_provider("Two Ways Practice")
        older = make_endpoint(provider, version="dstu2")
        make_endpoint(provider, version="r4")
        answer = patient.get(f"/providers/{provider.pk}/", {"endpoint": str(older.pk)})
        assert answer["Location"] == f"/connect/{provider.pk}/{older.pk}/"

    def test_is_skipped_where_there_is_only_one(self, patient, make_provider, make_endpoint):
        provider = make_provider("One Way Practice")
        newer = make_endpoint(provider)
        make_endpoint(provider, version="dstu2", registration={"status": "provisional"})
        answer = patient.get(f"/providers/{provider.pk}/")
        assert answer["Location"] == f"/connect/{provider.pk}/{newer.pk}/"

    @pytest.mark.parametrize("choice", ["", "x", "00000000-0000-0000-0000-000000000000", "https://evil.example/"])
    def test_asks_again_for_a_choice_that_is_none(self, patient, make_provider, make_endpoint, choice):
        provider = make_provider("Two Ways Practice")
        make_endpoint(provider, version="dstu2")
        make_endpoint(provider, version="r4")
        page = text(patient, f"/providers/{provider.pk}/?endpoint={choice}")
        assert "Choose how to connect" in page

    def test_says_why_when_there_is_no_way(self, patient, make_provider):
        provider = make_provider("No Way Practice")
        page = text(patient, f"/providers/{provider.pk}/")
        assert "We do not know where to sign in" in page
        assert "911" in page

    def test_asks_for_consent_first(self, make_provider, sam):
        client = Client()
        client.force_login(sam, backend=BACKEND)
        provider = make_provider("Harbor")
        answer = client.get(f"/providers/{provider.pk}/")
        assert answer["Location"] == f"/notice/agree/?next=/providers/{provider.pk}/"

    def test_is_not_there_for_a_provider_that_vanished(self, patient, make_provider):
        provider = make_provider("Gone", vanished_at=AT)
        assert patient.get(f"/providers/{provider.pk}/").status_code == 404


class TestManyOfOneName:
    @pytest.fixture
    def many(self, make_provider, make_endpoint):
        """Seventy of one name and city, each with a sign-in of its own."""
        made = [make_provider("Mercy Clinic", city="Salem", state="OR")]
        made += [
            Provider.objects.create(
                directory=f"list {number % 3}", directory_id=f"{number:03}", name="Mercy Clinic", city="Salem",
                state="OR", postal_code=f"97{number:03}", imported_at=AT,
            )
            for number in range(70)
        ]  # fmt: skip
        for number, provider in enumerate(made):
            make_endpoint(provider, host=f"h{number:03}.example.org")
        return made

    def test_are_all_reached_by_links_alone(self, patient, many):
        page = text(patient, "/providers/?q=mercy+clinic")
        (address,) = re.findall(r'href="(/providers/[^"/]*/all/)"', page)
        seen: set[str] = set()
        while address:
            page = text(patient, address)
            seen.update(re.findall(r"You sign in at (h\d+)", page))
            following = re.findall(r'href="([^"]*)">Next<', page)
            address = following[0] if following else ""
        assert len(seen) == len(many)
        last = many[-1]
        answer = patient.get(f"/providers/{last.pk}/?only=1")
        assert answer["Location"].startswith(f"/connections/before/{last.pk}/") or str(last.pk) in answer["Location"]

    def test_are_not_offered_one_by_one_where_there_are_few(self, patient, make_provider, make_endpoint):
        make_endpoint(make_provider("Mercy Clinic"))
        assert "/all/" not in text(patient, "/providers/?q=mercy+clinic")

    def test_have_pages_that_are_numbers(self, patient, many):
        base = f"/providers/{many[0].pk}/all/"
        for number in ("0", "-1", "x", "\u0663", "999999999"):
            assert "h000" in text(patient, f"{base}?page={number}")
        assert "There are no more." in text(patient, f"{base}?page=99")

    def test_are_for_those_who_signed_in(self, client, many):
        assert client.get(f"/providers/{many[0].pk}/all/").status_code == 302
