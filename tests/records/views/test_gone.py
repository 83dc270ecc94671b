"""What a provider no longer has is kept apart from what is current, and can be read (patient experience 3.0)."""

from datetime import UTC, datetime

import pytest
from django.urls import reverse

from apps.records import shelving
from apps.records.models import Record
from tests.records.linked import AT
from tests.records.pages import main
from tests.records.people import PATIENT_ID
from tests.records.shelved import keep, order, result

pytestmark = pytest.mark.django_db

NOTICED = datetime(2026, 3, 4, tzinfo=UTC)


def remove(connection, *logical_ids):
    Record.objects.filter(logical_id__in=logical_ids).update(removed_at=NOTICED)
    shelving.rebuild_all(connection, at=AT)


class TestWhatAProviderHasNoMore:
    def test_is_in_no_list_of_what_is_current_and_one_link_away(self, hers, connection):
        keep(connection, order("m1"), order("m2", name="Tramadol 50 MG", code="835603"))
        remove(connection, "m2")
        text = main(hers, "subject", "medicines")
        assert "Tramadol" not in text
        assert "1 entry is no longer at Harbor Family Practice." in text
        assert 'href="?by=gone"' in text
        gone = main(hers, "subject", "medicines", by="gone")
        assert "Tramadol" in gone
        assert "Lisinopril" not in gone
        assert "1 entry" in gone
        assert 'href="?by=gone"' not in gone
        assert 'href="?"' in gone

    def test_stands_as_nothing_that_it_was(self, hers, connection):
        keep(connection, order("m2", name="Tramadol 50 MG", code="835603"))
        remove(connection, "m2")
        gone = main(hers, "subject", "medicines", by="gone")
        assert "No longer at the provider" in gone
        assert "On the current list" not in gone
        assert ">Current<" not in gone
        assert "We noticed on March 4, 2026." in main(
            hers, "entry", "medicines", Record.objects.get(logical_id="m2").pk
        )

    def test_is_newest_first_and_comes_in_pages(self, hers, connection):
        keep(connection, *map(result, range(60)))
        remove(connection, *(f"o{number}" for number in range(60)))
        text = main(hers, "subject", "results", by="gone")
        assert "60 entries, newest first" in text
        assert text.index("December 31, 2024") < text.index("December 30, 2024")
        assert text.count("mmol/L") == 50
        assert main(hers, "subject", "results", by="gone", page="2").count("mmol/L") == 10

    def test_was_recorded_by_mistake_and_is_shown_to_nobody(self, hers, connection):
        keep(connection, {**result(1, value=7.7), "status": "entered-in-error"})
        remove(connection, "o1")
        assert "7.7" not in main(hers, "subject", "results", by="gone")

    def test_keeps_to_itself_what_belongs_to_a_grave_report(self, hers, connection):
        report = {
            "resourceType": "DiagnosticReport",
            "id": "r1",
            "status": "final",
            "code": {"text": "Surgical pathology"},
            "subject": {"reference": f"Patient/{PATIENT_ID}"},
            "result": [{"reference": "Observation/o1"}],
        }
        keep(connection, result(1, value=7.7), report)
        remove(connection, "o1", "r1")
        text = main(hers, "subject", "results", by="gone")
        assert "Sodium" in text
        assert "7.7" not in text

    def test_is_shown_to_no_stranger(self, client, sam, connection):
        keep(connection, order("m2", name="Tramadol 50 MG", code="835603"))
        remove(connection, "m2")
        client.force_login(sam)
        assert b"Tramadol" not in client.get(reverse("subject", args=["medicines"]), {"by": "gone"}).content
