"""What a patient shares, as chosen at the provider, is told in words, and nothing else is requested."""

import pytest
from django.utils import timezone

from apps.connections.grants import granted_access, kinds
from apps.connections.models import AuthorizationRequest, Connection
from apps.connections.outcomes import Outcome
from apps.records import syncing
from apps.records.models import SyncRun, SyncStep
from apps.wire.resource_types import RESOURCE_TYPES
from tests.connections.deployments import WILLOW_CREEK

pytestmark = pytest.mark.django_db


def without(*scopes: str) -> dict[str, dict[str, str | bool]]:
    """A visit at which these are left unticked."""
    return {"chosen": dict.fromkeys(scopes, False)}


@pytest.fixture
def linked(deploy, patient):
    """A confirmed connection that leaves out allergies."""

    def link(**columns) -> Connection:
        connection: Connection = patient.found(deploy(**columns), **without("patient/AllergyIntolerance.rs"))
        patient.confirm(connection)
        connection.refresh_from_db()
        return connection

    return link


class TestWhatIsLeftOut:
    @pytest.mark.conformance("C36")
    def test_is_told_before_anything_is_copied(self, deploy, patient):
        connection = patient.found(deploy(), **without("patient/AllergyIntolerance.rs", "patient/Goal.rs"))
        page = patient.get(f"/connections/{connection.pk}/confirm/")
        assert "Allergies and reactions; Care plans and goals (in part)." in page.html
        assert f"You can change this at {WILLOW_CREEK} at any time." in page.html

    def test_is_nothing_where_all_was_shared(self, deploy, patient):
        connection = patient.found(deploy())
        assert granted_access.left_out(connection) == ()
        assert "Not shared" not in patient.get(f"/connections/{connection.pk}/confirm/").html

    def test_is_told_on_the_page_of_the_connection(self, linked, patient):
        connection = linked()
        page = patient.get(f"/connections/{connection.pk}/")
        told = page.html[page.html.index("Not shared") :]
        assert "Allergies and reactions" in told[:200]

    @pytest.mark.conformance("C36")
    def test_is_not_asked_for(self, linked, sandbox):
        connection = linked()
        sandbox.delete("/control/requests")
        run = SyncRun.objects.get(connection=connection)
        syncing.advance(run.pk, at=timezone.now())
        steps = {step.resource_type: step for step in run.steps.all()}
        assert steps["AllergyIntolerance"].gap == SyncStep.Gap.NOT_SHARED
        assert steps["Patient"].status == SyncStep.Status.COMPLETE
        asked = [request["path"] for request in sandbox.get("/control/requests?method=GET")["requests"]]
        assert any("/Patient/" in path for path in asked)
        assert not [path for path in asked if "AllergyIntolerance" in path]

    @pytest.mark.conformance("C36")
    def test_may_be_all_but_the_person(self, deploy, patient):
        place = deploy(scope="launch/patient patient/Patient.rs patient/AllergyIntolerance.rs patient/Goal.rs")
        connection = patient.found(place, **without("patient/AllergyIntolerance.rs", "patient/Goal.rs"))
        patient.confirm(connection)
        connection.refresh_from_db()
        assert connection.status == Connection.Status.ACTIVE

    @pytest.mark.conformance("C36")
    @pytest.mark.parametrize("others", [["patient/Goal.rs"], []])
    def test_may_not_be_the_person(self, deploy, patient, others):
        """With or without anything else: nobody could be shown to say yes to."""
        place = deploy(scope=" ".join(["launch/patient", "openid", "fhirUser", "patient/Patient.rs", *others]))
        page = patient.go_there(place, **without("patient/Patient.rs"))
        assert "Too little was shared" in page.html
        assert AuthorizationRequest.objects.get().outcome == Outcome.NOTHING_SHARED
        assert place.sent(to="/Patient", method="GET") == []
        assert not Connection.objects.exists()


class TestChangingWhatIsShared:
    def test_asks_for_everything_again(self, linked, patient, sandbox):
        connection = linked()
        page = patient.get(f"/connections/{connection.pk}/")
        assert f'href="/connections/{connection.pk}/sharing/"' in page.html
        assert "We ask for everything again" in patient.get(f"/connections/{connection.pk}/sharing/").html
        _renew(patient, connection)
        connection.refresh_from_db()
        assert granted_access.left_out(connection) == ()
        assert "AllergyIntolerance" in (granted_access.readable_types(connection) or ())
        assert "prompt=consent" in patient.left_by

    def test_may_leave_something_out_again(self, linked, patient):
        connection = linked()
        page = _renew(patient, connection, **without("patient/Immunization.rs"))
        assert f"{WILLOW_CREEK} is connected, some kinds left out" in page.html
        assert f"Not shared: Vaccines. You can change this at {WILLOW_CREEK} at any time." in page.html
        assert "Change what you share" in page.html

    def test_without_the_person_changes_nothing_and_can_be_tried_again(self, linked, patient):
        connection = linked()
        page = _renew(patient, connection, **without("patient/Patient.rs"))
        assert "Too little was shared" in page.html
        assert "The connection stays as it was, and so does your record." in page.html
        assert f'href="/connections/{connection.pk}/sharing/"' in page.html

    def test_by_another_person_can_be_tried_again_there(self, linked, patient):
        connection = linked()
        page = _renew(patient, connection, username="george")
        assert "This is a different person" in page.html
        assert f'href="/connections/{connection.pk}/sharing/"' in page.html

    def test_is_for_nobody_else(self, linked, patient, sam):
        connection = linked()
        patient.client.force_login(sam, backend="allauth.account.auth_backends.AuthenticationBackend")
        for method in (patient.get, patient.post):
            assert method(f"/connections/{connection.pk}/sharing/").status == 404
        assert patient.get(f"/connections/{connection.pk}/").status == 404


class TestThePagesBesides:
    @pytest.mark.conformance("C24")
    def test_link_safely_to_the_provider_s_own_page_of_permissions(self, linked, patient, sandbox):
        connection = linked()
        page = patient.get(f"/connections/{connection.pk}/")
        address = (
            f"{sandbox.origin}/b/authorization/tenants/{connection.endpoint.tenant}/personas/patient/my-authorizations"
        )
        start = page.html.index(address)
        tag = page.html[page.html.rindex("<a", 0, start) : page.html.index(">", start)]
        assert 'target="_blank"' in tag
        assert 'rel="noopener noreferrer"' in tag
        assert not [one for one in sandbox.get("/control/requests")["requests"] if "my-authorizations" in one["path"]]

    @pytest.mark.conformance("C24")
    @pytest.mark.parametrize(
        "scopes",
        [
            {"granted_scope": "launch/patient offline_access"},
            {"requested_scope": "launch/patient openid", "granted_scope": "launch/patient openid"},
        ],
        ids=["nothing shared", "no kind spoken of"],
    )
    def test_offer_both_where_nothing_is_shared(self, linked, patient, scopes):
        connection = linked()
        Connection.objects.update(**scopes)
        page = patient.get(f"/connections/{connection.pk}/")
        assert f'href="/connections/{connection.pk}/sharing/"' in page.html
        assert "/personas/patient/my-authorizations" in page.html

    @pytest.mark.conformance("C24")
    def test_offer_nothing_once_it_is_disconnected(self, linked, patient):
        connection = linked()
        patient.post(f"/connections/{connection.pk}/disconnect/", copy="keep")
        page = patient.get(f"/connections/{connection.pk}/")
        assert f'href="/connections/{connection.pk}/sharing/"' not in page.html

    @pytest.mark.conformance("C24")
    def test_do_without_it(self, linked, patient):
        connection = linked()
        server = connection.endpoint.authorization_server
        for url in ("", "javascript:alert(1)", "http://manage.example/", "https://10.0.0.1/"):
            type(server).objects.filter(pk=server.pk).update(management_url=url)
            page = patient.get(f"/connections/{connection.pk}/")
            assert "See what apps may read" not in page.html

    def test_say_how_long_it_lasts(self, deploy, patient):
        place = deploy(refresh_scope="online_access")
        assert "<p>While you are signed in there." in patient.get(place.before_you_go).html
        connection = patient.found(place)
        patient.confirm(connection)
        assert "It lasts while you are signed in there." in patient.get(f"/connections/{connection.pk}/").html

    @pytest.mark.parametrize(
        ("asked", "said"),
        [
            ("online_access", "While you are signed in there."),
            ("online_access offline_access", f"Until you end it, here or at {WILLOW_CREEK}."),
            ("openid", "A few minutes, long enough to copy what is there now."),
        ],
    )
    def test_say_how_long_it_lasts_by_the_scope_that_the_registration_writes(self, deploy, patient, asked, said):
        """That is what is asked for (specification 5.2.3), whatever was chosen beside it."""
        place = deploy(refresh_scope="offline_access", scope=f"launch/patient patient/Patient.read {asked}")
        page = patient.get(place.before_you_go).html
        assert f"<h2>How long it lasts</h2>\n  <p>{said}" in page

    def test_say_how_long_it_lasts_where_the_patient_took_that_back(self, deploy, patient):
        place = deploy(refresh_scope="offline_access")
        assert f"Until you end it, here or at {WILLOW_CREEK}." in patient.get(place.before_you_go).html
        connection = patient.found(place, **without("offline_access"))
        patient.confirm(connection)
        for address in (f"/connections/{connection.pk}/", "/connections/"):
            page = patient.get(address)
            assert "a few minutes, long enough to copy" in page.html.lower()
            assert "until you end it" not in page.html.lower()

    @pytest.mark.parametrize(
        ("chosen", "words"),
        [("Milo", "Someone other than the person whose record it is"), ("Hannah", "The person whose record it is.")],
    )
    def test_tell_who_signed_in(self, deploy, patient, chosen, words):
        """Hannah has a record of her own, and sees her son's."""
        connection = patient.found(deploy(), username="hannah", chosen={chosen: True})
        assert words in patient.get(f"/connections/{connection.pk}/confirm/").html
        patient.confirm(connection)
        assert words in patient.get(f"/connections/{connection.pk}/").html


def _renew(patient, connection, **visit):
    """Choose at the provider again, from the page that says so; what the patient reads in the end."""
    return patient.go_again(f"/connections/{connection.pk}/sharing/", **visit)


class TestAKind:
    def test_has_a_name_for_every_type_we_ask_for(self):
        named = {name for kind in kinds.KINDS for name in kind.every_type}
        assert {name for types in RESOURCE_TYPES.values() for name in types} <= named

    def test_has_each_type_once(self):
        every = [name for kind in kinds.KINDS for name in kind.every_type]
        assert len(every) == len(set(every))
