"""A migration over existing links: they get what they lack, and what the previous release still writes is kept."""

from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from tests.fixtures.migrating import Migrating

pytestmark = pytest.mark.django_db  # by which the database of tests is made, also where only these run

AT = timezone.now()
DAY = timedelta(days=1)
BEFORE = [("connections", "0012_terms_of_a_trial"), ("directory", "0015_wishes_by_name"), ("accounts", "0002_session")]
FILLING = "apps.connections.migrations.0021_links_of_before"


def of_before(model: str) -> Any:
    """The model as processes know it that were started before."""
    state = MigrationExecutor(connection).loader.project_state(BEFORE)
    return state.apps.get_model("connections", model).objects


def _where(get_model: Any, name: str, dialect: str, **overrides: Any) -> dict[str, Any]:
    server = get_model("directory", "AuthorizationServer").objects.create(
        source="configured", authorize_url=f"https://{name}.example.org/a", token_url="https://a.example.org/t",
        found_at=AT,
    )  # fmt: skip
    registration = get_model("directory", "ClientRegistration").objects.create(
        authorization_server=server, label=name, status="approved", authentication="query", minimum_refresh_seconds=0,
        **overrides,
    )  # fmt: skip
    endpoint = get_model("directory", "Endpoint").objects.create(
        fhir_base_url=f"https://{name}.example.org/r4", fhir_version="r4", interface=dialect, dialect=dialect,
        authorization_server=server, imported_at=AT,
    )  # fmt: skip
    provider = get_model("directory", "Provider").objects.create(
        directory="tests", directory_id=name, name=name, imported_at=AT
    )
    return {"registration": registration, "endpoint": endpoint, "provider": provider}


@pytest.fixture(scope="module")
def links(migrating: Migrating) -> Any:
    """The ids of links by what they are of, after all migrations. More than one lot of them: a lot is two here."""
    get_model = migrating.to(*BEFORE).get_model
    user = get_model("accounts", "User").objects.create(email="alice@example.org")
    smart, short, plain = (
        _where(get_model, "smart", "smart"),
        _where(get_model, "short", "smart", idle_limit_days=30),
        _where(get_model, "plain", "patient-access"),
    )
    made: dict[str, Any] = {"elsewhere": smart["registration"].pk}
    for name, where, scope in (
        ("online", smart, "patient/*.rs online_access"),
        ("both", smart, "online_access offline_access"),
        ("offline", smart, "patient/*.rs offline_access"),
        ("short", short, "offline_access"),
        ("plain", plain, ""),
        ("late", plain, ""),
    ):
        link = get_model("connections", "Connection").objects.create(
            user=user, status="active", fhir_patient_id=name, granted_scope=scope, created_at=AT, confirmed_at=AT,
            **where,
        )  # fmt: skip
        made[name] = link.pk
        if name != "late":
            get_model("connections", "StoredTokenSet").objects.create(
                connection=link, sealed_access_token=b"a", sealed_refresh_token=b"r", refresh_issued_at=AT,
                refresh_due_at=AT + DAY if name == "plain" else None,
                refresh_deadline_at=AT + 2 * DAY if name == "plain" else None,
            )  # fmt: skip
    filling = import_module(FILLING)
    usual = filling.AT_ONCE
    setattr(filling, "AT_ONCE", 2)  # noqa: B010 - a migration's name is no module's for the type checker
    made["latest"] = migrating.to_latest("connections", "records", "directory").get_model
    setattr(filling, "AT_ONCE", usual)  # noqa: B010 - as above
    return made


def kept(links: Any, name: str) -> Any:
    return links["latest"]("connections", "StoredTokenSet").objects.get(pk=links[name])


class TestALinkOfBefore:
    def test_is_known_to_end_with_the_session_where_only_that_was_granted(self, links):
        assert [kept(links, name).is_session_bound for name in ("online", "both", "offline", "plain")] == [
            True, False, False, False,
        ]  # fmt: skip
        assert (kept(links, "online").refresh_deadline_at, kept(links, "online").refresh_due_at) == (None, None)

    @pytest.mark.parametrize(("name", "days"), [("offline", 90), ("short", 30)])
    def test_has_the_idle_limit_of_its_registration_and_is_renewed_before(self, links, name, days):
        found = kept(links, name)
        assert found.refresh_deadline_at == AT + days * DAY
        assert AT + days * DAY / 4 <= found.refresh_due_at <= AT + days * DAY / 3

    def test_keeps_its_window(self, links):
        found = kept(links, "plain")
        assert (found.refresh_due_at, found.refresh_deadline_at) == (AT + DAY, AT + 2 * DAY)
        assert (found.registration.label, found.refresh_used_at) == ("plain", AT)


class TestAProcessOfBefore:
    def test_still_keeps_the_tokens_of_a_sign_in(self, links):
        of_before("StoredTokenSet").create(
            connection_id=links["late"], sealed_access_token=b"a", sealed_refresh_token=b"r", refresh_issued_at=AT
        )
        assert kept(links, "late").registration.label == "plain"

    def test_moves_a_link_to_another_registration_with_its_tokens(self, links):
        of_before("Connection").filter(pk=links["both"]).update(registration_id=links["elsewhere"])
        of_before("Connection").filter(pk=links["plain"]).update(registration_id=links["elsewhere"])
        assert kept(links, "plain").registration_id == links["elsewhere"]


class TestMigratingAgain:
    def test_fills_what_is_left_and_leaves_what_was_written_since(self, links):
        latest = links["latest"]("connections", "StoredTokenSet").objects
        latest.filter(pk=links["short"]).update(refresh_used_at=None)
        latest.filter(pk=links["offline"]).update(refresh_deadline_at=AT + 200 * DAY)
        with connection.schema_editor() as editor:
            import_module(FILLING).fill(None, editor)
        assert kept(links, "short").refresh_used_at == AT
        assert kept(links, "offline").refresh_deadline_at == AT + 200 * DAY
