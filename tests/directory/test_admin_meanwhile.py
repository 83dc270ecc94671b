"""Pages of the admin that were open while a worker wrote: what it wrote stays, and what staff changed arrives."""

import re
from html.parser import HTMLParser

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.audit.models import AuditEvent
from apps.audit.recording import Actor
from apps.directory import credentials, registering, signing
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint
from apps.wire.secret import Secret
from tests.directory.smart_deployment import AT

pytestmark = pytest.mark.django_db
WORKER = Actor.system("tests")


class Page(HTMLParser):
    """What a browser would send back of a form that nobody touched."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.sent: dict[str, list[str]] = {}
        self._select = self._area = ""
        self.feed(html)

    def handle_starttag(self, tag, attrs) -> None:
        given = dict(attrs)
        name, kind = given.get("name") or "", given.get("type") or "text"
        if tag == "input" and name and kind not in {"submit", "file"}:
            if kind not in {"checkbox", "radio"} or "checked" in given:
                usual = "on" if kind == "checkbox" else ""
                self.sent.setdefault(name, []).append(given.get("value") or usual)
        elif tag == "select":
            self._select = name
        elif tag == "option" and "selected" in given and self._select:
            self.sent.setdefault(self._select, []).append(given.get("value") or "")
        elif tag == "textarea":
            self._area = name
            self.sent[name] = [""]

    def handle_endtag(self, tag) -> None:
        if tag == "textarea":
            # HTML: the first line break after the tag is not part of the text.
            self.sent[self._area] = [re.sub(r"^\n", "", self.sent[self._area][0]).replace("\n", "\r\n")]
            self._area = ""
        elif tag == "select":
            self._select = ""

    def handle_data(self, data) -> None:
        if self._area:
            self.sent[self._area][0] += data


def opened(staff: Client, row) -> Page:
    return Page(staff.get(address(row)).content.decode())


def address(row) -> str:
    return f"/admin/directory/{row._meta.model_name}/{row.pk}/change/"


def saved(staff: Client, row, page: Page, **changes: str):
    answer = staff.post(address(row), {**page.sent, **changes})
    assert answer.status_code == 302, re.findall(r'class="errorlist.*?</ul>', answer.content.decode(), re.DOTALL)
    row.refresh_from_db()
    return row


class TestARegistrationsPage:
    @pytest.fixture
    def registration(self, endpoint) -> ClientRegistration:
        return ClientRegistration.objects.get()

    def test_changes_nothing_when_nobody_touched_it(self, staff, registration):
        before = ClientRegistration.objects.values().get()
        saved(staff, registration, opened(staff, registration))
        assert ClientRegistration.objects.values().get() == before
        assert AuditEvent.objects.get(event="directory.changed").facts == {"action": "changed", "changed": ""}

    def test_leaves_trouble_status_and_secret_as_they_are_now(self, staff, registration):
        page = opened(staff, registration)
        registering.mark_trouble(registration, "invalid_client", at=AT)
        credentials.keep(registration, Secret("canary-new"), at=AT)
        registering.move(registration, "retired", actor=WORKER, at=AT)
        row = saved(staff, registration, page, label="theirs")
        assert (row.label, row.trouble, row.status) == ("theirs", "invalid_client", "retired")
        assert credentials.client(row).secret == Secret("canary-new")
        assert row.secret_rotation_due_date == (AT + credentials.ROTATE_AFTER).date()

    @pytest.mark.parametrize("is_given_up", [False, True])
    def test_leaves_a_key_that_was_replaced(self, staff, registration, is_given_up):
        old, new = (signing.make("ES384", actor=WORKER, at=AT) for _ in range(2))
        ClientRegistration.objects.update(signing_key=old, authentication="private_key_jwt")
        page = opened(staff, registration)
        ClientRegistration.objects.update(signing_key=new)
        if is_given_up:
            signing.give_up(old, actor=WORKER, at=timezone.now())
        row = saved(staff, registration, page, versions_added="dstu2", sends_state="true")
        assert (row.signing_key, row.versions_added, row.sends_state) == (new, ["dstu2"], True)

    def test_writes_what_staff_changed_over_what_somebody_else_did(self, staff, registration):
        page = opened(staff, registration)
        ClientRegistration.objects.update(label="of another", uses_pkce=False)
        row = saved(staff, registration, page, label="of staff")
        assert (row.label, row.uses_pkce) == ("of staff", False)

    def test_keeps_workers_away_while_it_is_saved(self, staff, registration):
        page = opened(staff, registration)
        with CaptureQueriesContext(connection) as asked:
            saved(staff, registration, page, label="theirs")
        statements = [query["sql"] for query in asked]
        locked = [number for number, sql in enumerate(statements) if "FOR NO KEY UPDATE" in sql]
        (written,) = [number for number, sql in enumerate(statements) if "SET \"label\" = 'theirs' WHERE" in sql]
        assert locked[0] < written

    def test_says_again_what_it_first_showed_after_a_fault(self, staff, registration):
        page = opened(staff, registration)
        ClientRegistration.objects.update(client_id="of a worker")
        refused = Page(staff.post(address(registration), {**page.sent, "label": ""}).content.decode())
        row = saved(staff, registration, refused, label="mended")
        assert (row.label, row.client_id) == ("mended", "of a worker")


class TestAnEndpointsPage:
    def test_leaves_where_discovery_sends_people_now(self, staff, endpoint):
        page = opened(staff, endpoint)
        other = AuthorizationServer.objects.create(
            source="discovered", authorize_url="https://other.example.org/a", token_url="https://other.example.org/t",
            found_at=AT,
        )  # fmt: skip
        Endpoint.objects.update(authorization_server=other, discovered_at=AT, vanished_at=AT)
        row = saved(staff, endpoint, page, tenant="seven")
        assert (row.tenant, row.authorization_server, row.discovered_at, row.vanished_at) == ("seven", other, AT, AT)


class TestAServersPage:
    def test_leaves_what_discovery_found_meanwhile(self, staff, endpoint):
        server = endpoint.authorization_server
        AuthorizationServer.objects.update(id_token_issuers=["https://one.example.org", "https://two.example.org"])
        page = opened(staff, server)
        found = {
            "issuer": "https://fhir.example.org", "revocation_url": "https://fhir.example.org/revoke",
            "id_token_issuers": ["https://one.example.org"], "capabilities": ["sso-openid-connect"],
        }  # fmt: skip
        AuthorizationServer.objects.update(**found)
        row = saved(staff, server, page, source="discovered")
        assert {name: getattr(row, name) for name in found} == found
        assert row.source == "discovered"
