"""Staff see that records came, but never what they say."""

import re
from uuid import uuid4

import pytest
from django.contrib import admin
from django.urls import reverse

from apps.audit.models import AuditEvent, EventType
from apps.records import syncing
from apps.records.models import Leaf, Record, RecordVersion, Shelf, SyncRun, SyncStep
from tests.records.linked import AT
from tests.records.people import CANARIES, PATIENT_ID

pytestmark = pytest.mark.django_db


@pytest.fixture
def synced(linked):
    run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)
    syncing.advance(run.pk, at=AT)
    return run


def pages(name, pk):
    return [
        reverse(f"admin:records_{name}_changelist"),
        reverse(f"admin:records_{name}_change", args=[pk]),
    ]


class TestAdmin:
    @pytest.mark.parametrize("model", [SyncRun, SyncStep, Record])
    def test_says_nothing_of_what_came(self, client, stella, synced, model):
        client.force_login(stella)
        for address in pages(model._meta.model_name, model.objects.order_by("pk").first().pk):
            response = client.get(address)
            assert response.status_code == 200
            text = response.content.decode()
            for canary in (*CANARIES, PATIENT_ID, "a1", "access-canary", "fhir/r4/Aller"):
                assert f">{canary}<" not in text
                assert canary == "a1" or canary not in text

    @pytest.mark.parametrize(("model", "subject"), [(SyncRun, "sync run"), (SyncStep, "sync step"), (Record, "record")])
    def test_is_read_by_whom_it_concerns_where_staff_opened_one(self, client, stella, synced, model, subject):
        client.force_login(stella)
        row = model.objects.order_by("pk").first()
        listed, opened = pages(model._meta.model_name, row.pk)
        client.get(listed)
        looked = AuditEvent.objects.filter(event=EventType.STAFF_VIEWED)
        assert not looked.exists()
        client.get(opened)
        (event,) = looked
        connection = synced.connection
        assert (event.actor_id, event.user_id) == (stella.pk, connection.user_id)
        assert (event.subject, event.subject_id) == (subject, str(row.pk))
        assert event.facts == {"provider_id": str(connection.provider_id)}

    def test_leads_from_a_person_to_the_steps_of_their_runs(self, client, stella, synced):
        """Somebody who says that results are missing is at the telephone meanwhile."""
        client.force_login(stella)
        connection = synced.connection
        ways = [
            ("accounts_user", connection.user_id, "connections_connection", connection.pk),
            ("connections_connection", connection.pk, "records_syncrun", synced.pk),
            ("records_syncrun", synced.pk, "records_syncstep", synced.steps.order_by("pk").first().pk),
        ]
        for name, pk, leads_to, found in ways:
            way = f"{reverse(f'admin:{leads_to}_changelist')}?q={pk}"
            assert f'href="{way}"' in client.get(reverse(f"admin:{name}_change", args=[pk])).content.decode()
            assert reverse(f"admin:{leads_to}_change", args=[found]) in client.get(way).content.decode()

    @pytest.mark.parametrize("model", [SyncRun, SyncStep])
    def test_tells_of_workers_that_died_and_of_nobodys_death(self, client, stella, synced, model):
        model.objects.update(deaths=3)
        client.force_login(stella)
        for address in pages(model._meta.model_name, model.objects.order_by("pk").first().pk):
            text = client.get(address).content.decode()
            assert "orkers that died over it" in text
            assert not re.search(r">\s*[Dd]eaths", text)

    @pytest.mark.parametrize("model", [SyncRun, SyncStep, Record])
    def test_changes_nothing(self, client, stella, synced, model):
        client.force_login(stella)
        pk = model.objects.order_by("pk").first().pk
        name = model._meta.model_name
        assert client.get(reverse(f"admin:records_{name}_add")).status_code == 403
        assert client.post(reverse(f"admin:records_{name}_delete", args=[pk]), {"post": "yes"}).status_code == 403
        assert client.post(reverse(f"admin:records_{name}_change", args=[pk]), {}).status_code == 403

    def test_lists_what_a_step_changed_and_what_is_gone(self, client, stella, synced):
        client.force_login(stella)
        counts = {"rows_changed": 7001, "rows_removed": 7002, "rows_missing": 7003}
        SyncStep.objects.update(since_at=AT, **counts)
        text = client.get(reverse("admin:records_syncstep_changelist")).content.decode()
        for name, count in counts.items():
            assert re.search(rf'class="field-{name}">7,?{count - 7000:03}<', text)
        assert 'class="field-since_at nowrap">Nov' in text
        assert "column-is_full" in client.get(reverse("admin:records_syncrun_changelist")).content.decode()

    def test_finds_a_run_as_the_log_and_commands_name_it(self, client, stella, synced):
        client.force_login(stella)
        found = reverse("admin:records_syncrun_change", args=[synced.pk])
        for term, is_found in [(synced.pk, True), (synced.connection_id, True), (uuid4(), False), ("nonsense", False)]:
            answer = client.get(reverse("admin:records_syncrun_changelist"), {"q": str(term)})
            assert (answer.status_code, found in answer.content.decode()) == (200, is_found), term

    @pytest.mark.parametrize("model", [Leaf, RecordVersion, Shelf])
    def test_does_not_know_what_is_only_sealed(self, model):
        assert not admin.site.is_registered(model)

    def test_is_closed_to_patients(self, client, alice, synced):
        client.force_login(alice)
        assert client.get(reverse("admin:records_record_changelist")).status_code == 302
