"""The first page of a record leads to the visit from which its patient came, if that visit is there to be read."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.connections.ending import purging
from apps.connections.grants import launch_context
from apps.connections.grants.launch_context import LaunchContext
from apps.connections.models import AuthorizationRequest, Connection
from apps.records import syncing
from apps.records.models import Record, SyncRun
from tests.records.linked import make_connection, make_endpoint, sign_in_again
from tests.records.pages import page
from tests.records.people import PATIENT_ID
from tests.records.shelved import keep

pytestmark = pytest.mark.django_db

OFFERED = "The visit you came from"
PAGES = ("record", "record_progress")


def visit(logical_id="v1", **parts):
    return {
        "resourceType": "Encounter", "id": logical_id, "status": "finished", "class": {"code": "AMB"},
        "type": [{"text": "Yearly checkup"}], "subject": {"reference": f"Patient/{PATIENT_ID}"},
        "period": {"start": "2026-06-04", "end": "2026-06-04"}, **parts,
    }  # fmt: skip


def come_from(connection, visit_id="v1"):
    AuthorizationRequest.objects.all().delete()
    sign_in_again(connection, at=timezone.now())
    context = LaunchContext(fhir_user=f"Patient/{PATIENT_ID}", encounter=visit_id)
    Connection.objects.filter(pk=connection.pk).update(sealed_context=launch_context.seal(connection, context))


def leads_to(connection, visit_id="v1"):
    record = Record.objects.get(connection=connection, resource_type="Encounter", logical_id=visit_id)
    return f'href="{reverse("entry", args=["visits", record.pk])}?of={connection.pk}"'


class TestTheVisitSheCameFrom:
    @pytest.fixture(params=PAGES)
    def name(self, request, connection):
        """A page at rest, and while a first copy runs."""
        if request.param == "record_progress":
            syncing.start(connection, cause=SyncRun.Cause.CONFIRMED, at=timezone.now())
        return request.param

    def test_is_offered_with_its_name_and_day(self, hers, connection, name):
        keep(connection, visit(), visit("v2", type=[{"text": "Another day"}]))
        come_from(connection)
        text = page(hers, name, connection.pk)
        assert text.count(OFFERED) == 1
        offered = text.split(OFFERED)[1].split("</a>")[0]
        assert "Yearly checkup" in offered
        assert "June 4, 2026" in offered
        assert leads_to(connection) in text
        assert "Another day" not in text

    def test_is_decrypted_only_where_another_kind_is_done(self, hers, connection, caplog):
        keep(connection, visit())
        come_from(connection)
        syncing.start(connection, cause=SyncRun.Cause.CONFIRMED, at=timezone.now())
        address = reverse("record_progress", args=[connection.pk])
        shown = page(hers, "record", connection.pk)
        (known,) = re.findall(r'hx-get="[^"?]*\?([^"]*)"', shown)
        assert OFFERED in shown.split('id="visit-place"')[1].split('id="progress"')[0]
        Record.objects.filter(resource_type="Encounter").update(sealed_body=b"damaged")
        same = hers.get(f"{address}?{known.replace('&amp;', '&')}").content.decode()
        assert "visit-place" not in same
        assert "does not open" not in caplog.text
        other = hers.get(f"{address}?{known.replace('&amp;', '&').replace('done=0', 'done=7')}").content.decode()
        assert 'id="visit-place" hx-swap-oob="innerHTML"' in other
        assert "does not open" in caplog.text

    def test_is_offered_to_nobody_who_came_from_none(self, hers, connection, name):
        keep(connection, visit())
        assert OFFERED not in page(hers, name, connection.pk)
        come_from(connection, "")
        assert OFFERED not in page(hers, name, connection.pk)

    @pytest.mark.parametrize(
        "parts",
        [
            {"id": "v2"},
            {"status": "entered-in-error"},
            {"meta": {"security": [{"code": "MASKED"}]}},
        ],
        ids=["is not here", "was a mistake", "is hidden"],
    )
    def test_is_not_offered_where_there_is_nothing_to_read(self, hers, connection, name, parts):
        keep(connection, visit(**parts))
        come_from(connection)
        assert OFFERED not in page(hers, name, connection.pk)

    def test_is_not_offered_once_the_provider_no_longer_has_it(self, hers, connection, name):
        keep(connection, visit())
        come_from(connection)
        Record.objects.filter(resource_type="Encounter").update(removed_at=timezone.now())
        assert OFFERED not in page(hers, name, connection.pk)

    def test_is_offered_for_a_day(self, hers, connection, name):
        keep(connection, visit())
        come_from(connection)
        purging.drop_old_requests(at=timezone.now() + timedelta(hours=24))
        assert OFFERED in page(hers, name, connection.pk)
        purging.drop_old_requests(at=timezone.now() + timedelta(hours=25))
        assert OFFERED not in page(hers, name, connection.pk)

    @pytest.mark.parametrize("outcome", ["", "expired", "cancelled"])
    def test_is_not_offered_again_by_a_sign_in_that_came_to_nothing(self, hers, connection, name, outcome):
        keep(connection, visit())
        come_from(connection)
        AuthorizationRequest.objects.update(outcome=outcome)
        assert OFFERED not in page(hers, name, connection.pk)

    def test_is_not_what_another_record_has_under_that_id(self, hers, connection, alice, sam, name):
        for whose in (alice, sam):
            keep(make_connection(whose, make_endpoint(f"https://{whose.first_name}.example/r4")), visit())
        come_from(connection)
        assert OFFERED not in page(hers, name, connection.pk)

    def test_leaves_the_page_as_it_is_where_it_does_not_open(self, hers, connection, name, caplog):
        keep(connection, visit())
        come_from(connection)
        Record.objects.filter(resource_type="Encounter").update(sealed_body=b"damaged")
        assert OFFERED not in page(hers, name, connection.pk)
        assert "Yearly checkup" not in caplog.text

    def test_is_found_by_no_stranger(self, client, sam, connection, name):
        keep(connection, visit())
        come_from(connection)
        client.force_login(sam)
        response = client.get(reverse(name, args=[connection.pk]))
        assert response.status_code == 404
        assert "Yearly checkup" not in response.content.decode()

    def test_has_no_words_of_the_visit_in_title_or_address(self, hers, connection, name):
        keep(connection, visit())
        come_from(connection)
        text = page(hers, name, connection.pk)
        assert "checkup" not in "".join(re.findall("<title>.*?</title>|href=.*?>", text)).casefold()

    def test_changes_with_the_next_sign_in(self, hers, connection, name):
        keep(connection, visit(), visit("v2"))
        come_from(connection)
        come_from(connection, "v2")
        text = page(hers, name, connection.pk)
        assert leads_to(connection, "v2") in text
        assert leads_to(connection) not in text

    def test_keeps_the_providers_own_words_in_their_language(self, hers, connection, name):
        keep(connection, visit(language="es", type=[{"text": "Consulta de nutrición"}]))
        come_from(connection)
        assert '<span lang="es" dir="auto">Consulta de nutrición</span>' in page(hers, name, connection.pk)
