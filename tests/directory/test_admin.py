"""The directory in the admin: what staff can do, and what is never shown."""

import pytest
from django.test import Client
from django.utils import timezone

from apps.audit.models import AuditEvent
from apps.audit.recording import Actor
from apps.directory import credentials, reaching, switching
from apps.directory.models import ApprovedOrigin, AuthorizationServer, ClientRegistration, Endpoint
from apps.wire.addresses import check_address
from apps.wire.secret import Secret

pytestmark = pytest.mark.django_db


@pytest.fixture
def endpoint(make_provider, make_endpoint) -> Endpoint:
    made: Endpoint = make_endpoint(make_provider("Harbor"), registration={"status": "provisional"})
    return made


@pytest.fixture
def registration(endpoint) -> ClientRegistration:
    return ClientRegistration.objects.get()


def form(registration: ClientRegistration, **changes: str) -> dict[str, str]:
    return {
        "authorization_server": str(registration.authorization_server_id),
        "label": "ours",
        "client_id": "holdfast",
        "authentication": "query",
        "versions_added": "r4",
        "signing_key": "",
        "smart_version": "v2",
        "scope": "",
        "refresh_scope": "",
        "sends_state": "unknown",
        "sends_aud": "unknown",
        "token_parameters": "",
        "new_secret": "",
        **changes,
    }


def act(staff: Client, registration: ClientRegistration, action: str) -> None:
    given = {"action": action, "_selected_action": [str(registration.pk)], "confirmed": "yes"}
    staff.post("/admin/directory/clientregistration/", given)


class TestARegistrationInTheAdmin:
    @pytest.mark.conformance("C19")
    def test_says_why_its_endpoint_cannot_be_linked(self, staff, endpoint):
        assert "not approved" in staff.get("/admin/directory/endpoint/").content.decode()
        page = staff.get(f"/admin/directory/endpoint/{endpoint.pk}/change/").content.decode()
        assert "The client registration is not approved." in page

    def test_shows_the_redirect_uri_to_copy(self, staff, registration):
        page = staff.get(f"/admin/directory/clientregistration/{registration.pk}/change/").content.decode()
        assert f"http://testserver/connect/return/{registration.redirect_id}/" in page

    @pytest.mark.conformance("C70")
    def test_takes_a_secret_and_never_shows_it(self, staff, registration):
        address = f"/admin/directory/clientregistration/{registration.pk}/change/"
        answer = staff.post(address, form(registration, new_secret="canary-new"), follow=True)
        assert answer.status_code == 200
        row = ClientRegistration.objects.get()
        assert credentials.client(row).secret == Secret("canary-new")
        pages = [answer.content.decode(), staff.get(address).content.decode()]
        pages.append(staff.get(address.replace("change", "history")).content.decode())
        assert not any("canary" in page for page in pages)
        assert "canary" not in str(list(AuditEvent.objects.values()))

    def test_keeps_the_secret_when_the_field_stays_empty(self, staff, registration):
        staff.post(f"/admin/directory/clientregistration/{registration.pk}/change/", form(registration))
        assert credentials.client(ClientRegistration.objects.get()).secret == Secret("canary-secret")

    def test_does_not_show_a_secret_again_when_the_form_has_a_fault(self, staff, registration):
        page = staff.post(
            f"/admin/directory/clientregistration/{registration.pk}/change/",
            form(registration, label="", new_secret="canary-new"),
        )
        assert page.status_code == 200
        assert "canary" not in page.content.decode()

    def test_moves_by_action_as_the_table_allows(self, staff, registration):
        act(staff, registration, "approve")
        assert ClientRegistration.objects.get().status == "approved"
        act(staff, registration, "reject")
        assert ClientRegistration.objects.get().status == "approved"
        act(staff, registration, "retire")
        assert ClientRegistration.objects.get().status == "retired"

    @pytest.mark.parametrize("action", ["reject", "retire"])
    def test_is_ended_for_good_only_by_who_says_so_twice(self, staff, registration, action):
        before = ClientRegistration.objects.get().status
        chosen = {"action": action, "_selected_action": [str(registration.pk)]}
        page = staff.post("/admin/directory/clientregistration/", chosen)
        text = page.content.decode()
        assert "This cannot be undone." in text
        assert str(registration) in text
        assert ClientRegistration.objects.get().status == before

    def test_says_for_how_many_an_action_was_done(self, staff, registration):
        chosen = {"action": "switch_off", "_selected_action": [str(registration.pk)]}
        page = staff.post("/admin/directory/clientregistration/", chosen, follow=True)
        assert "Done for 1." in page.content.decode()

    def test_is_switched_and_mended_by_action(self, staff, registration):
        ClientRegistration.objects.update(trouble="invalid_client")
        act(staff, registration, "switch_off")
        act(staff, registration, "clear_trouble")
        row = ClientRegistration.objects.get()
        assert (row.is_switched_on, row.trouble) == (False, "")
        act(staff, registration, "switch_on")
        assert ClientRegistration.objects.get().is_switched_on

    def test_stays_off_when_a_page_from_before_is_saved(self, staff, registration):
        switching.switch_registration(registration, is_on=False, actor=Actor.system("tests"), at=timezone.now())
        ticked = form(registration, support_contact="new", is_switched_on="on")
        address = f"/admin/directory/clientregistration/{registration.pk}/change/"
        assert staff.post(address, ticked).status_code == 302
        row = ClientRegistration.objects.get()
        assert (row.support_contact, row.is_switched_on) == ("new", False)

    def test_writes_down_who_changed_it(self, staff, registration, stella):
        act(staff, registration, "approve")
        event = AuditEvent.objects.get(event="registration.changed")
        assert event.actor_id == stella.pk
        assert event.facts == {"action": "moved", "status": "approved", "status_before": "provisional"}


class TestAnEndpointInTheAdmin:
    def fields(self, endpoint: Endpoint, **changes: str) -> dict[str, str]:
        return {
            "fhir_base_url": endpoint.fhir_base_url,
            "fhir_version": "r4",
            "interface": "patient-access",
            "dialect": "patient-access",
            "tenant": "",
            "authorization_server": str(endpoint.authorization_server_id),
            "portals-TOTAL_FORMS": "1",
            "portals-INITIAL_FORMS": "1",
            "portals-0-id": str(endpoint.portals.get().pk),
            "portals-0-endpoint": str(endpoint.pk),
            "portals-0-provider": str(endpoint.providers.get().pk),
            **changes,
        }

    def test_can_be_saved_and_is_written_down(self, staff, endpoint):
        answer = staff.post(f"/admin/directory/endpoint/{endpoint.pk}/change/", self.fields(endpoint, tenant="seven"))
        assert answer.status_code == 302
        assert Endpoint.objects.get().tenant == "seven"
        event = AuditEvent.objects.get(event="directory.changed")
        assert event.facts == {"action": "changed", "changed": "tenant"}

    def test_is_not_added_with_an_address_that_no_path_can_be_put_behind(self, staff, endpoint):
        fields = self.fields(endpoint, fhir_base_url="https://h.example/?q=1")
        fields |= {"portals-INITIAL_FORMS": "0", "portals-0-id": "", "portals-0-endpoint": ""}
        answer = staff.post("/admin/directory/endpoint/add/", fields)
        assert "so it cannot have a query" in answer.content.decode()
        assert Endpoint.objects.count() == 1

    def test_is_switched_off_where_its_host_is_new_to_a_sign_in_of_ours(self, staff, endpoint, registration):
        rogue = Endpoint.objects.create(
            fhir_base_url="https://thief.example/r4", fhir_version="r4", interface="patient-access",
            dialect="patient-access", imported_at=timezone.now(),
        )  # fmt: skip
        fields = {
            "fhir_version": "r4", "interface": "patient-access", "dialect": "patient-access", "tenant": "",
            "authorization_server": str(registration.authorization_server_id),
            "portals-TOTAL_FORMS": "0", "portals-INITIAL_FORMS": "0",
        }  # fmt: skip
        page = staff.post(f"/admin/directory/endpoint/{rogue.pk}/change/", fields, follow=True).content.decode()
        rogue.refresh_from_db()
        assert rogue.authorization_server == registration.authorization_server
        assert (rogue.is_switched_on, rogue.is_stranger) == (False, True)
        assert "thief.example, signing in at" in page
        chosen = {"action": "switch_on", "_selected_action": [str(rogue.pk), str(endpoint.pk)]}
        page = staff.post("/admin/directory/endpoint/", chosen, follow=True).content.decode()
        assert f"/desk/endpoints/{rogue.pk}/look/" in page
        assert list(Endpoint.objects.filter(is_switched_on=True)) == [endpoint]

    def test_is_switched_off_with_its_time(self, staff, endpoint):
        staff.post("/admin/directory/endpoint/", {"action": "switch_off", "_selected_action": [str(endpoint.pk)]})
        row = Endpoint.objects.get()
        assert (row.is_switched_on, row.switched_off_at is not None) == (False, True)
        assert AuditEvent.objects.filter(facts__action="switched off").count() == 1

    def test_stays_off_when_a_page_from_before_is_saved(self, staff, endpoint):
        switching.switch_endpoint(endpoint, is_on=False, actor=Actor.system("tests"), at=timezone.now())
        ticked = self.fields(endpoint, tenant="seven", is_switched_on="on")
        assert staff.post(f"/admin/directory/endpoint/{endpoint.pk}/change/", ticked).status_code == 302
        row = Endpoint.objects.get()
        assert (row.tenant, row.is_switched_on) == ("seven", False)

    def test_is_not_given_to_a_provider_of_the_other_kind(self, staff, endpoint, make_provider):
        practice = make_provider("Practice", is_sandbox=True)
        fields = self.fields(endpoint, **{"portals-0-provider": str(practice.pk)})
        page = staff.post(f"/admin/directory/endpoint/{endpoint.pk}/change/", fields)
        assert "endpoint and providers differ" in page.content.decode()
        assert endpoint.providers.get() != practice

    @pytest.mark.parametrize(
        ("changes", "sentence"),
        [
            ({"is_sandbox": "on"}, "cannot be mixed"),
            ({"dialect": "smart"}, "belongs to another interface"),
        ],
    )
    def test_refuses_what_import_refuses(self, staff, endpoint, changes, sentence):
        page = staff.post(f"/admin/directory/endpoint/{endpoint.pk}/change/", self.fields(endpoint, **changes))
        assert page.status_code == 200
        assert sentence in page.content.decode()

    def test_refuses_an_address_we_would_not_connect_to(self, staff, endpoint):
        fields = self.fields(endpoint, fhir_base_url="https://10.1.2.3/fhir")
        page = staff.post("/admin/directory/endpoint/add/", fields)
        assert "it is not on the public network" in page.content.decode()

    def test_keeps_the_address_that_patients_tokens_belong_to(self, staff, endpoint):
        fields = self.fields(endpoint, fhir_base_url="https://elsewhere.example/fhir")
        staff.post(f"/admin/directory/endpoint/{endpoint.pk}/change/", fields)
        assert Endpoint.objects.get().fhir_base_url == endpoint.fhir_base_url


class TestAServerInTheAdmin:
    def fields(self, **changes: str) -> dict[str, str]:
        given = {"authorize_url": "https://new.example/authorize", "token_url": "https://new.example/token"}
        return {"source": "configured", **given, **changes}

    @pytest.mark.parametrize(
        ("changes", "sentence"),
        [
            ({"token_url": "https://192.168.0.9/token"}, "it is not on the public network"),
            ({"revocation_url": "https://elsewhere.example/revoke"}, "Tokens are revoked where they were issued"),
            ({"revocation_url": "http://new.example/revoke"}, "it does not begin with https://"),
        ],
    )
    def test_refuses_an_address_that_tokens_must_not_go_to(self, staff, changes, sentence):
        page = staff.post("/admin/directory/authorizationserver/add/", self.fields(**changes))
        assert sentence in page.content.decode()
        assert not AuthorizationServer.objects.exists()

    def test_is_added_with_the_time_it_was_found(self, staff):
        fields = self.fields(revocation_url="https://new.example/revoke")
        assert staff.post("/admin/directory/authorizationserver/add/", fields).status_code == 302
        assert AuthorizationServer.objects.get().found_at is not None

    def test_keeps_the_addresses_that_tokens_came_from(self, staff, endpoint):
        server = AuthorizationServer.objects.get()
        staff.post(f"/admin/directory/authorizationserver/{server.pk}/change/", self.fields())
        row = AuthorizationServer.objects.get()
        assert (row.authorize_url, row.token_url) == (server.authorize_url, server.token_url)


class TestDeletingInTheAdmin:
    def test_of_several_rows_is_written_down_for_each(self, staff, make_provider):
        providers = [make_provider("Harbor"), make_provider("Mill")]
        chosen = [str(provider.pk) for provider in providers]
        fields = {"action": "delete_selected", "_selected_action": chosen, "post": "yes"}
        staff.post("/admin/directory/provider/", fields)
        events = AuditEvent.objects.filter(event="directory.changed").values_list("subject_id", "facts__action")
        assert sorted(events) == sorted((provider, "deleted") for provider in chosen)


class TestAnApprovedOriginInTheAdmin:
    def test_is_one_that_the_guard_will_recognize(self, staff):
        fields = {"origin": "https://fhir.example.org:8443", "reason": "their test system"}
        assert staff.post("/admin/directory/approvedorigin/add/", fields).status_code == 302
        check_address("https://fhir.example.org:8443/r4", reaching.address_policy())

    @pytest.mark.parametrize(
        "origin",
        [
            *("https://fhir.example.org:8443/", "https://FHIR.example.org:8443", "https://fhir.example.org"),
            *("https://fhir.example.org:8443/r4", "http://fhir.example.org:8080", "https://10.0.0.1:8443", "fhir:8443"),
        ],
    )
    def test_is_refused_where_no_address_would_match_it(self, staff, origin):
        page = staff.post("/admin/directory/approvedorigin/add/", {"origin": origin, "reason": "why not"})
        assert page.status_code == 200
        assert not ApprovedOrigin.objects.exists()
