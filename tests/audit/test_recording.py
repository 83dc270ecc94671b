"""Events are recorded by one function, which accepts neither secrets nor free text."""

import ast
from datetime import UTC, datetime
from functools import cache
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction

from apps.audit import recording
from apps.audit.models import ActorKind, AuditEvent, EventType
from apps.audit.recording import Actor, Fact
from config import env

pytestmark = pytest.mark.django_db
AT = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def record(**changes: Any) -> AuditEvent:
    given: dict[str, Any] = {"event": EventType.SYNC_FINISHED, "actor": Actor.system("beat"), "at": AT}
    recording.record(**given | changes)
    return AuditEvent.objects.latest("id")


class TestRecordedEvent:
    def test_says_who_did_what_to_which_thing_and_when(self):
        user_id, connection_id = uuid4(), uuid4()
        event = record(
            event=EventType.CONNECTION_CONFIRMED,
            actor=Actor.user(user_id),
            user_id=user_id,
            subject="connection",
            subject_id=str(connection_id),
            facts={Fact.OUTCOME: "complete", Fact.ROWS: 3, Fact.REVOKED_AT_PROVIDER: True},
        )
        assert (event.event, event.at, event.user_id) == ("connection.confirmed", AT, user_id)
        assert (event.actor_kind, event.actor_id, event.actor_name) == (ActorKind.USER, user_id, "")
        assert (event.subject, event.subject_id) == ("connection", str(connection_id))
        assert event.facts == {"outcome": "complete", "rows": 3, "revoked_at_provider": True}

    def test_tells_staff_and_system_apart(self):
        staff = record(actor=Actor.staff(uuid4()))
        system = record(actor=Actor.system("purge_unverified"))
        assert (staff.actor_kind, staff.actor_name) == ("staff", "")
        assert (system.actor_kind, system.actor_id, system.actor_name) == ("system", None, "purge_unverified")

    def test_about_several_things_is_one_of_each(self):
        user_id, things = uuid4(), ("one", "two")
        about: dict[str, Any] = {"actor": Actor.user(user_id), "at": AT, "user_id": user_id, "subject": "connection"}
        recording.record_about_each(EventType.RECORD_VIEWED, subject_ids=things, **about)
        assert [(event.subject_id, event.actor_id) for event in AuditEvent.objects.order_by("id")] == [
            (one, user_id) for one in things
        ]
        with pytest.raises(ValueError, match="by itself"):
            recording.record_about_each(EventType.RECORD_FORGOTTEN, subject_ids=things, **about)

    def test_takes_fact_keys_as_plain_words(self):
        assert record(facts={"reason": "invalid_grant"}).facts == {"reason": "invalid_grant"}

    def test_vanishes_with_the_change_it_describes(self):
        with transaction.atomic():
            record()
            transaction.set_rollback(True)
        assert not AuditEvent.objects.exists()

    @pytest.mark.parametrize(
        "changes",
        [
            {"facts": {"refresh_token": "x"}},
            {"facts": {"reason": "https://provider.example/token?client_secret=CANARY"}},
            {"facts": {"reason": "CANARY@example.org"}},
            {"facts": {"reason": '{"access_token": "CANARY"}'}},
            {"facts": {"reason": "CANARY" * 11}},
            {"facts": {"reason": "CANARY\n"}},
            {"facts": {"CANARY": 1}},
            {"subject": "connection", "subject_id": "a=CANARY"},
            {"actor": Actor.system("CANARY?")},
        ],
    )
    def test_is_refused_without_repeating_what_was_given(self, changes):
        with pytest.raises(ValueError, match=r"audit event|list of Fact") as refusal:
            record(**changes)
        assert "CANARY" not in str(refusal.value)
        assert not AuditEvent.objects.exists()

    def test_refuses_a_type_that_is_not_in_the_list(self):
        with pytest.raises(ValueError, match="not a valid EventType"):
            record(event="connection.admired")

    def test_shows_nobody_in_its_text(self):
        user_id = uuid4()
        event = record(actor=Actor.user(user_id), user_id=user_id)
        assert str(user_id) not in str(event) + repr(event) + repr(Actor.user(user_id))


class TestTheLists:
    """What is in them and nobody writes is a promise that is not kept."""

    def test_hold_no_event_that_nobody_records(self):
        assert [event.name for event in EventType if f"EventType.{event.name}" not in said()] == []

    def test_hold_no_fact_that_nobody_states(self):
        assert [one.name for one in Fact if said().isdisjoint({f"Fact.{one.name}", one.value, f"{one.value}="})] == []


@cache
def said() -> set[str]:
    """Every attribute, keyword and text of the source, but for the lists themselves."""
    lists = {env.ROOT / "apps/audit/recording.py", env.ROOT / "apps/audit/models.py"}
    words = set[str]()
    for path in set((env.ROOT / "apps").rglob("*.py")) - lists:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                words.add(f"{node.value.id}.{node.attr}")
            elif isinstance(node, ast.keyword):
                words.add(f"{node.arg}=")
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                words.add(node.value)
    return words
