"""The files of a person of the real sandbox, in both versions (X25): fetched as each route requires, and read."""

import secrets
import uuid

import pytest
from django.utils import timezone

from apps.connections import refreshing
from apps.directory import reaching
from apps.records.attachments import FileRefused, Reason, open_file
from apps.records.attachments.sniffing import Form
from apps.records.models import Attachment, Record
from apps.records.presenters import attachments, documents, elements
from apps.records.presenters.entry import Context
from apps.records.syncing.received_rows import storing
from apps.records.viewing import as_sent
from apps.vault import sealing
from apps.vault.sealing import Holder
from apps.wire import fhir
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenSet
from tests.records.attachments.filing import free
from tests.records.linked import make_connection, make_endpoint

pytestmark = pytest.mark.django_db

ECHO, STAY, LETTER = "Echocardiography report", "Discharge summary, pacemaker", "Letter of the heart clinic"
CHECK, REMINDER = "Device check of 9 June 2026", "Reminder"


@pytest.fixture
def george(alice, sandbox):
    """What `george(version)` gives: the records of George's documents, by the title of their file."""

    def george(version):
        client_id = f"holdfast-files-{secrets.token_hex(4)}"
        sandbox.post(
            "/control/applications",
            name="Holdfast",
            client_id=client_id,
            client_secret="s3cret",
            redirect_uris=["http://127.0.0.1:8000/callback"],
            versions=["dstu2", "r4"],
            status="approved",
        )
        granted = sandbox.post("/control/grants", client_id=client_id, username="george", version=version)
        token = Secret(granted["grants"][0]["access_token"])
        base_url = f"{sandbox.origin}/a/{version}/fhir/{version}"
        connection = make_connection(alice, make_endpoint(base_url, version=version, is_sandbox=True))
        refreshing.keep(connection, tokens_of(token), issued_at=timezone.now())
        return documents_of(connection, token)

    return george


def tokens_of(token):
    return TokenSet(access_token=token, expires_in_seconds=600, refresh_token=Secret("none"))


def documents_of(connection, token):
    server = reaching.fhir_server(connection.endpoint, connection.registration)
    (person,) = fhir.find_patients(server, access_token=token)
    connection.fhir_patient_id = person.logical_id
    connection.save()
    page = fhir.search(
        server, access_token=token, resource_type="DocumentReference", patient_id=person.logical_id, parameters=()
    )
    with sealing.key_ring(Holder.user(connection.user_id)) as ring:
        storing.keep(connection, page.resources, run_id=uuid.uuid4(), ring=ring, at=timezone.now())
    titles = {each.logical_id: title_of(elements.parse(each.body)) for each in page.resources}
    records = Record.objects.select_related("connection__provider").filter(connection=connection)
    return {titles[record.logical_id]: record for record in records}


def title_of(resource):
    return attachments.files(resource)[0].described.title


def opened(record):
    return open_file(record, 0, clock=timezone.now, seat=free)


@pytest.mark.parametrize("version", ["dstu2", "r4"])
class TestFilesOfTheSandbox:
    @pytest.mark.conformance("C62", "X25")
    def test_are_all_fetched_and_read_alike_in_both_versions(self, george, version):
        records = george(version)
        echo, stay, letter = (opened(records[title]) for title in (ECHO, STAY, LETTER))
        assert (echo.file_type.form, echo.reading) == (Form.PDF, None)
        assert echo.size == echo.described.size
        assert stay.file_type.form is Form.CLINICAL_DOCUMENT
        assert stay.reading is not None
        assert stay.reading.blocks
        assert "xml-stylesheet" not in stay.handed_out.decode()
        assert letter.file_type.form is Form.RICH_TEXT
        assert letter.reading is not None
        assert "rtf1" not in letter.reading.plain
        assert "Pacemaker works" in opened(records[CHECK]).reading.plain
        assert "script" not in opened(records[REMINDER]).reading.plain

    def test_say_so_where_they_are_kept_elsewhere(self, george, sandbox, version):
        sandbox.post("/control/switches", attachment_address="foreign-host")
        with pytest.raises(FileRefused) as refusal:
            opened(george(version)[ECHO])
        assert refusal.value.reason is Reason.ELSEWHERE

    def test_are_found_by_relative_addresses(self, george, sandbox, version):
        sandbox.post("/control/switches", attachment_address="relative")
        assert opened(george(version)[ECHO]).file_type.form is Form.PDF

    def test_that_came_in_part_are_told_so_and_not_kept(self, george, sandbox, version):
        record = george(version)[ECHO]
        sandbox.post("/control/faults", route="data", kind="cut", count=1)
        assert opened(record).is_short
        assert not Attachment.objects.exists()
        assert not opened(record).is_short
        assert Attachment.objects.exists()

    @pytest.mark.parametrize("fault", ["dropped", "redirect", "html", "empty", "unavailable"])
    def test_are_whole_or_not_there(self, george, sandbox, version, fault):
        records = george(version)
        sandbox.post("/control/faults", route="data", kind=fault, count=3)
        with pytest.raises(FileRefused):
            opened(records[ECHO])
        sandbox.delete("/control/faults")
        assert opened(records[ECHO]).content.startswith(b"%PDF-1.4")


class TestDocumentsOfTheSandbox:
    def test_are_presented_alike_from_both_versions(self, george):
        told = [{title: entry_of(record) for title, record in george(version).items()} for version in ("dstu2", "r4")]
        assert told[0] == told[1]
        assert told[0][STAY][1]


def entry_of(record):
    """What both versions can say; addresses, ids and the words of categories are each version's own."""
    entry = documents.present(elements.parse(as_sent.text(record).encode()), Context())
    files = tuple((file.described.title, file.described.media_type, file.described.size) for file in entry.files)
    categories = (entry.categories, entry.category_codes)
    return (
        categories,
        entry.title,
        entry.name,
        entry.status,
        entry.group,
        entry.when,
        entry.written,
        entry.people,
        files,
    )
