"""The migrations of connections keep existing links: nobody has to sign in again because of a deploy."""

from typing import Any

import pytest
from django.utils import timezone

from tests.fixtures.migrating import Migrating

pytestmark = pytest.mark.django_db  # by which the database of tests is made, also where only these run

AT = timezone.now()
TOKEN = b"sealed token"
BEFORE = (
    ("connections", "0009_launches_of_a_browser"),
    ("directory", "0003_discovery_tried_at"),
    ("accounts", "0002_session"),
)


@pytest.fixture(scope="module")
def rows(migrating: Migrating) -> Any:
    """What the latest migrations made of a living link, a sign-in under way, a launch, and a permission to end."""
    get_model = migrating.to(*BEFORE).get_model
    where = _endpoint(get_model)
    user = get_model("accounts", "User").objects.create(email="alice@example.org")
    connection = get_model("connections", "Connection").objects.create(
        user=user, status="active", fhir_patient_id="p1", granted_scope="patient/Patient.read", sealed_person=b"person",
        created_at=AT, confirmed_at=AT, **where,
    )  # fmt: skip
    get_model("connections", "StoredTokenSet").objects.create(
        connection=connection, sealed_access_token=TOKEN, sealed_refresh_token=TOKEN, refresh_due_at=AT, generation=3,
        refresh_issued_at=AT,
    )  # fmt: skip
    request = get_model("connections", "AuthorizationRequest").objects.create(
        user=user, state_hash=b"s" * 32, browser_hash=b"b" * 32, sealed_pkce_verifier=b"verifier", created_at=AT,
        expires_at=AT, **where,
    )  # fmt: skip
    get_model("connections", "PendingRevocation").objects.create(
        user_id=user.pk, sealed_token=TOKEN, created_at=AT, try_at=AT, **where
    )
    get_model("connections", "PendingLaunch").objects.create(
        browser_hash=b"b" * 32, launch_hash=b"l" * 32, created_at=AT, expires_at=AT, authorization_request=request,
        endpoint=where["endpoint"], registration=where["registration"],
    )  # fmt: skip
    return migrating.to_latest("connections", "records", "directory").get_model


def _endpoint(get_model: Any) -> dict[str, Any]:
    """A provider, its endpoint and our registration there."""
    server = get_model("directory", "AuthorizationServer").objects.create(
        source="configured", authorize_url="https://a.example.org/a", token_url="https://a.example.org/t", found_at=AT
    )
    registration = get_model("directory", "ClientRegistration").objects.create(
        authorization_server=server, label="ours", status="approved", authentication="query",
        refresh_window_hours=48, minimum_refresh_seconds=0,
    )  # fmt: skip
    provider = get_model("directory", "Provider").objects.create(
        directory="tests", directory_id="1", name="Harbor", imported_at=AT
    )
    endpoint = get_model("directory", "Endpoint").objects.create(
        fhir_base_url="https://a.example.org/r4", fhir_version="r4", interface="patient-access",
        dialect="patient-access", authorization_server=server, imported_at=AT,
    )  # fmt: skip
    return {"provider": provider, "endpoint": endpoint, "registration": registration}


class TestLinksOfBefore:
    def test_keep_who_they_are_of_and_where(self, rows):
        kept = rows("connections", "Connection").objects.get()
        assert (kept.status, kept.fhir_patient_id, bytes(kept.sealed_person)) == ("active", "p1", b"person")
        assert (kept.provider.name, kept.endpoint.fhir_base_url, kept.registration.label, kept.user.email) == (
            "Harbor", "https://a.example.org/r4", "ours", "alice@example.org",
        )  # fmt: skip

    def test_keep_their_tokens_and_when_they_are_due(self, rows):
        kept = rows("connections", "StoredTokenSet").objects.get()
        assert (bytes(kept.sealed_access_token), bytes(kept.sealed_refresh_token)) == (TOKEN, TOKEN)
        assert (kept.generation, kept.refresh_due_at) == (3, AT)

    def test_are_due_under_their_registration_and_were_last_used_when_they_began(self, rows):
        kept = rows("connections", "StoredTokenSet").objects.get()
        assert (kept.registration.label, kept.refresh_used_at) == ("ours", AT)
        assert (kept.is_rotated, kept.is_session_bound, kept.tries) == (None, False, 0)

    def test_are_not_of_a_trial_while_somebody_signs_in(self, rows):
        kept = rows("connections", "AuthorizationRequest").objects.get()
        assert (bytes(kept.state_hash), bytes(kept.sealed_pkce_verifier), kept.trial) == (b"s" * 32, b"verifier", None)

    def test_are_still_opened_and_ended_at_the_provider(self, rows):
        assert bytes(rows("connections", "PendingRevocation").objects.get().sealed_token) == TOKEN
        launch = rows("connections", "PendingLaunch").objects.get()
        assert (bytes(launch.launch_hash), launch.authorization_request.user.email) == (b"l" * 32, "alice@example.org")
