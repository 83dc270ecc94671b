"""Bodies are decrypted by one module, and one that cannot be decrypted hides no other."""

from pathlib import Path

import pytest
from django.urls import reverse

from apps.records import bodies
from apps.records.models import Record
from apps.vault import sealing
from apps.vault.errors import CannotOpen
from apps.vault.sealing import Holder
from tests.records.people import PATIENT_ID
from tests.records.shelved import keep, result

APPS = Path(bodies.__file__).parents[1]


def spoil(logical_id):
    assert Record.objects.filter(logical_id=logical_id).update(sealed_body=b"\x03" + bytes(80))


class TestABody:
    def test_is_opened_in_one_place_and_sealed_in_one(self):
        knowing = {
            path.relative_to(APPS).as_posix() for path in APPS.rglob("*.py") if "body_place(" in path.read_text()
        }
        assert knowing == {"records/places.py", "records/bodies.py", "records/syncing/received_rows/storing.py"}


@pytest.mark.django_db
class TestABodyThatDoesNotOpen:
    def test_is_raised_where_it_was_asked_for_and_logged_by_ids_alone_where_it_was_not(self, connection, caplog):
        keep(connection, result(1, name="Canary"))
        spoil("o1")
        record = Record.objects.get(logical_id="o1")
        with sealing.key_ring(Holder.user(connection.user_id)) as ring:
            with pytest.raises(CannotOpen):
                bodies.of(record, ring)
            assert bodies.find_of(record, ring) is None
        assert f"A record does not open: connection {connection.pk}, Observation." in caplog.text
        assert "Canary" not in caplog.text

    def test_of_one_result_does_not_hide_the_report(self, hers, connection):
        report = {
            "resourceType": "DiagnosticReport",
            "id": "r1",
            "status": "final",
            "code": {"text": "Basic panel"},
            "subject": {"reference": f"Patient/{PATIENT_ID}"},
            "result": [{"reference": "Observation/o1"}, {"reference": "Observation/o2"}],
        }
        keep(connection, result(1), result(2, name="Potassium", code="2823-3"), report)
        spoil("o1")
        text = hers.get(reverse("entry", args=["results", Record.objects.get(logical_id="r1").pk])).content.decode()
        assert "Basic panel" in text
        assert "Potassium" in text
        assert "1 result belongs to this report and is not here." in " ".join(text.split())

    def test_is_no_stranger_s_to_ask_for(self, client, sam, connection):
        keep(connection, result(1))
        client.force_login(sam)
        pk = Record.objects.get(logical_id="o1").pk
        assert client.get(reverse("entry", args=["results", pk])).status_code == 404
