"""The copy as received has every body byte for byte, in files that others can read."""

import base64
import hashlib
import json
import secrets
import uuid
import zipfile
from datetime import timedelta

import msgspec
import pytest
from django.utils.translation import get_language, override
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.audit.recording import Actor
from apps.records import deleting_copies
from apps.records.attachments import storing as attachments
from apps.records.exporting import archives, bundles, copies, json_text, ndjson, stored
from apps.records.exporting.added_resources import Count
from apps.records.exporting.copies import Form
from apps.records.exporting.stored import DeletedMeanwhile, Row, Source
from apps.records.models import Attachment, Record, RecordVersion
from apps.vault.errors import VaultError
from apps.vault.models import DataKey
from apps.wire.dialects import FhirVersion
from tests.records.exporting.keeping import keep, raw, spoil, versions
from tests.records.exporting.taking import parts, unpacked
from tests.records.linked import AT, make_connection, make_endpoint
from tests.records.people import R4_PATIENT, allergy

SPELLED = (
    b'{"resourceType": "Observation",  "id":"o1", "valueQuantity":{"value":13.20,"unit":"\\u00b5g/dL"},\r\n'
    b'\t"note": [ {"text": "a \\"b\\" \\\\ {\\n}\xc3\xa9"} ], "x": 1e3, "y": -0.0, "z": "It&#39;s &lt;b&gt; &amp;"}'
)
_SCALARS = st.none() | st.integers() | st.text(max_size=9)
SPELLED_ON_ONE_LINE = SPELLED.replace(b"\r\n", b"")


# Bodies on one line whose values have more than one spelling: digits that count, escapes, keys said twice.
_SPELLINGS = st.sampled_from(
    ("1.0", "1.00", "-0", "1e400", "12345678901234567890.12345678901234567890", "1E+2",
     '"\\u00b5"', '"\u00b5"', '"\\/"', '"\u2028"', "null", "[ ]", '{ "a" : [1 , 2.50] }', '"</script>"', '"\\n"')
)  # fmt: skip
_UGLY = st.lists(
    st.lists(st.tuples(st.sampled_from(("id", "value", "x", "resourceType")), _SPELLINGS), max_size=5).map(
        lambda members: ("{" + " ,".join(f'"{name}" : {value}' for name, value in members) + "}").encode()
    ),
    max_size=5,
)


class _Entry(msgspec.Struct):
    fullUrl: str
    resource: msgspec.Raw


class _Written(msgspec.Struct):
    entry: list[_Entry]


def source(version=FhirVersion.R4):
    return Source(
        number=1,
        connection_id=uuid.UUID(int=7),
        user_id=uuid.UUID(int=8),
        provider="Harbor Family Practice",
        base_url="https://fhir.example/r4/",
        version=version,
        patient_id="p-7301",
        checked_at=AT,
    )


def row(body, resource_type="Observation", logical_id="o1", at=AT):
    return Row(resource_type, logical_id, body, at, at + timedelta(days=1))


def bundle(rows, version=FhirVersion.R4, missing=()):
    return b"".join(bundles.bundle(source(version), rows, missing=missing, at=AT))


class TestABody:
    def test_on_several_lines_loses_only_the_breaks_between_values(self):
        assert json_text.on_one_line(SPELLED) == SPELLED_ON_ONE_LINE

    def test_on_one_line_is_the_same_object(self):
        assert json_text.on_one_line(SPELLED_ON_ONE_LINE) is SPELLED_ON_ONE_LINE

    @given(st.binary() | st.text().map(lambda text: text.encode("utf-8", "surrogatepass")))
    def test_may_be_anything_and_never_raises(self, body):
        json_text.on_one_line(body)
        json_text.is_object(body)

    @given(
        st.dictionaries(st.text(max_size=9), _SCALARS | st.lists(_SCALARS, max_size=3), max_size=4),
        st.sampled_from((None, 1, "\t")),
    )
    def test_means_the_same_on_one_line(self, content, indent):
        body = json.dumps(content, indent=indent).replace("\n", "\r\n").encode()
        assert json_text.is_object(body)
        line = json_text.on_one_line(body)
        assert b"\n" not in line
        assert b"\r" not in line
        assert json.loads(line) == content


class TestABundle:
    @pytest.mark.parametrize("version", list(FhirVersion))
    def test_has_each_body_as_it_came(self, version):
        made = bundle([row(SPELLED)], version)
        assert b'"resource":' + SPELLED + b"}" in made
        read = json.loads(made)
        assert (read["resourceType"], read["type"]) == ("Bundle", "collection")

    def test_says_where_each_entry_lives(self):
        entries = json.loads(bundle([row(SPELLED, logical_id="a b")]))["entry"]
        assert entries[1]["fullUrl"] == "https://fhir.example/r4/Observation/a%20b"

    def test_says_when_the_entries_came(self):
        later = AT + timedelta(days=3)
        rows = [row(b"{}", logical_id="1"), row(b"{}", logical_id="2"), row(b"{}", logical_id="3", at=later)]
        told = [each["resource"] for each in json.loads(bundle(rows))["entry"]]
        provenances = [each for each in told if each.get("resourceType") == "Provenance"]
        targets = [[target["reference"][-1] for target in each["target"]] for each in provenances]
        assert targets == [["1", "2"], ["3"]]
        assert [each["recorded"] for each in provenances] == ["2026-11-20T09:40:00.000Z", "2026-11-23T09:40:00.000Z"]
        assert provenances[0]["occurredPeriod"]["end"] == "2026-11-21T09:40:00.000Z"
        assert provenances[0]["entity"][0]["what"]["identifier"]["value"] == "https://fhir.example/r4/"

    def test_of_dstu2_has_nothing_that_only_r4_knows(self):
        made = json.loads(bundle([row(b"{}")], FhirVersion.DSTU2))
        assert set(made) == {"resourceType", "id", "meta", "type", "entry"}
        provenance = made["entry"][2]["resource"]
        assert provenance["period"]["start"] == "2026-11-20T09:40:00.000Z"
        assert provenance["entity"][0]["type"]["code"] == "Bundle"
        assert "occurredPeriod" not in provenance

    def test_names_first_what_is_missing(self):
        first = json.loads(bundle([], missing=["Vaccines: Not shared."]))["entry"][0]["resource"]
        assert first["resourceType"] == "OperationOutcome"
        assert [(one["code"], one["details"]["text"]) for one in first["issue"]] == [
            ("incomplete", "Vaccines: Not shared.")
        ]

    def test_counts_at_its_end(self):
        last = json.loads(bundle([row(b"{}"), row(b"{}", logical_id="2")]))["entry"][-1]["resource"]
        assert last["issue"][0]["details"]["text"] == "2 entries of the record were written."

    @pytest.mark.parametrize(("version", "where"), [(FhirVersion.DSTU2, "content"), (FhirVersion.R4, "data")])
    def test_wraps_what_is_no_json(self, version, where):
        entries = [each["resource"] for each in json.loads(bundle([row(b'{"a":NaN,}')], version))["entry"]]
        binary = next(each for each in entries if each["resourceType"] == "Binary")
        assert base64.b64decode(binary[where]) == b'{"a":NaN,}'
        assert f"Observation/o1 could not be read as JSON; it is here as it came, as Binary/{binary['id']}." in str(
            entries[-1]
        )

    def test_names_what_does_not_open(self):
        last = json.loads(bundle([row(None), row(b"{}", logical_id="2")]))["entry"][-1]["resource"]
        assert "Observation/o1 could not be opened, and is not here." in str(last)
        assert "1 entry of the record was written." in str(last)

    @given(
        st.lists(st.tuples(st.text(max_size=9), st.binary(max_size=60) | st.sampled_from((SPELLED, b"{}"))), max_size=8)
    )
    def test_is_one_document_whatever_came(self, sent):
        made = bundle([row(body, logical_id=logical_id) for logical_id, body in sent])
        document = msgspec.json.decode(made)
        entries = [each["resource"] for each in document["entry"]]
        ours = sum(1 for each in entries if each.get("resourceType") in {"OperationOutcome", "Provenance"})
        assert len(entries) - ours >= len([body for _id, body in sent if json_text.is_object(body)])
        assert f"{len(sent)} entr" in made.decode()

    @given(_UGLY)
    def test_holds_every_value_byte_for_byte(self, bodies):
        made = bundle([row(body, logical_id=str(number)) for number, body in enumerate(bodies)])
        entries = msgspec.json.decode(made, type=_Written).entry
        assert [bytes(each.resource) for each in entries if "://fhir.example" in each.fullUrl] == bodies


class TestLines:
    def test_are_one_for_each_resource(self):
        count = Count()
        made = b"".join(ndjson.resources(source(), [row(SPELLED), row(b"{}")], count))
        assert made == SPELLED_ON_ONE_LINE + b"\n{}\n"
        assert count.entries == 2

    @given(_UGLY)
    def test_hold_every_value_byte_for_byte(self, bodies):
        made = b"".join(ndjson.resources(source(), [row(body) for body in bodies], Count()))
        assert made == b"".join(body + b"\n" for body in bodies)

    @given(st.lists(st.binary(max_size=60) | st.sampled_from((SPELLED, b"{}", b'"\n"')), max_size=8))
    def test_are_json_whatever_came(self, bodies):
        made = b"".join(ndjson.resources(source(), [row(body) for body in bodies], Count()))
        read = [msgspec.json.decode(line) for line in made.split(b"\n")[:-1]]
        assert len(read) == len(bodies)


@pytest.mark.django_db
class TestACopy:
    @pytest.fixture
    def connection(self, alice):
        connection = make_connection(alice)
        keep(connection, R4_PATIENT, allergy("a1"), raw("Observation", "o1", SPELLED))
        return connection

    @pytest.mark.parametrize("form", list(Form))
    @pytest.mark.conformance("C66")
    def test_has_every_stored_body(self, alice, connection, form):
        keep(connection, allergy("a1", criticality="high"), at=AT + timedelta(days=1))
        keep(connection, allergy("a2", verificationStatus={"coding": [{"code": "entered-in-error"}]}))
        assert versions(connection) == 1
        files = unpacked(copies.copy(parts(alice), form, at=AT))
        whole = b"".join(files.values())
        for stored_row in (*stored.rows(parts(alice)[0].source), *stored.earlier(parts(alice)[0].source)):
            assert stored_row.body is not None
            body = stored_row.body if form is Form.BUNDLE else json_text.on_one_line(stored_row.body)
            assert body in whole
        assert b"entered-in-error" in whole

    def test_keeps_what_entries_said_before(self, alice, connection):
        keep(connection, allergy("a1", criticality="high"), at=AT + timedelta(days=1))
        files = unpacked(copies.copy(parts(alice), Form.BUNDLE, at=AT))
        (line,) = files["source-1/earlier-versions.ndjson"].splitlines()
        assert json.loads(line) == {
            "fullUrl": "https://fhir.example/r4/AllergyIntolerance/a1",
            "receivedAt": "2026-11-20T09:40:00.000Z",
            "supersededAt": "2026-11-21T09:40:00.000Z",
            "resource": allergy("a1"),
        }

    @pytest.mark.parametrize("form", list(Form))
    def test_has_the_files_that_were_opened_here(self, alice, sam, connection, form):
        record = Record.objects.get(logical_id="a1")
        sent = [{"url": f"Binary/{number}"} for number in range(3)]
        for number, content in enumerate((b"%PDF-1.7 canary", b"<html><script>alert(1)</script>", b"\x00\x01")):
            attachments.keep(record, sent[number], content, at=AT)
        theirs = make_connection(sam, make_endpoint("https://other.example/r4"))
        keep(theirs, allergy("a1"))
        attachments.keep(Record.objects.get(connection=theirs), sent[0], b"%PDF-1.7 strange", at=AT)
        files = unpacked(copies.copy(parts(alice), form, at=AT))
        assert files["source-1/files/1.pdf"] == b"%PDF-1.7 canary"
        assert files["source-1/files/2.txt"] == b"<html><script>alert(1)</script>"
        assert len([name for name in files if "/files/" in name]) == 3
        told = [json.loads(line) for line in files["source-1/files.ndjson"].splitlines()]
        assert told[0] == {
            "file": "files/1.pdf",
            "fullUrl": "https://fhir.example/r4/AllergyIntolerance/a1",
            "fetchedAt": "2026-11-20T09:40:00.000Z",
        }
        assert "files.ndjson" in files["read-me-first.txt"].decode()
        assert b"strange" not in b"".join(files.values())

    @pytest.mark.parametrize("form", list(Form))
    def test_names_a_kept_file_that_does_not_open(self, alice, connection, form):
        record = Record.objects.get(logical_id="a1")
        for number in range(2):
            attachments.keep(record, {"url": f"Binary/{number}"}, b"%PDF-1.7", at=AT)
        first = Attachment.objects.order_by("pk").first()
        assert first is not None
        Attachment.objects.filter(pk=first.pk).update(sealed_content=b"\x03" + bytes(80))
        files = unpacked(copies.copy(parts(alice), form, at=AT))
        assert [name for name in files if "/files/" in name] == ["source-1/files/2.pdf"]
        assert b"A file of AllergyIntolerance/a1 could not be opened, and is not here." in b"".join(files.values())

    def test_says_first_what_it_is_and_what_is_missing(self, alice, connection):
        files = unpacked(copies.copy(parts(alice), Form.BUNDLE, at=AT))
        first = files["read-me-first.txt"].decode()
        assert next(iter(files)) == "read-me-first.txt"
        for said in ("source-1: Harbor Family Practice", "https://fhir.example/r4 (FHIR R4)", "3 entries are here."):
            assert said in first
        assert "Results, Medicines, Allergies and reactions" in first
        assert "what it no longer has is in the version in which it came" in first
        assert first.count("Not fetched yet.") == 1  # for all subjects of which the same is to be said
        assert "Quillfeather" not in first

    @pytest.mark.parametrize("form", list(Form))
    def test_speaks_the_language_of_whoever_asked_to_its_end(self, alice, connection, form):
        spoil(connection, "AllergyIntolerance", "a1")
        ours = get_language()
        with override("es"):
            asked = copies.copy(parts(alice), form, at=AT)
        files = unpacked(asked)
        assert next(iter(files)) == "lea-esto-primero.txt"
        whole = b"".join(files.values()).decode()
        for said in ("Holdfast, para pacientes", "AllergyIntolerance/a1 no se pudo abrir", "2 entradas", "Hecho el:"):
            assert said in whole
        assert get_language() == ours

    def test_can_be_checked(self, alice, connection):
        files = unpacked(copies.copy(parts(alice), Form.LINES, at=AT))
        assert list(files)[-1] == "contents.json"
        told = [tuple(each.values()) for each in json.loads(files.pop("contents.json"))["files"]]
        assert told == [(name, len(content), hashlib.sha256(content).hexdigest()) for name, content in files.items()]

    def test_has_a_folder_for_each_provider_and_none_of_their_names(self, alice, connection):
        other = make_connection(alice, make_endpoint("https://other.example/dstu2", version="dstu2"), created_at=AT)
        keep(other, allergy("b1"))
        files = unpacked(copies.copy(parts(alice), Form.LINES, at=AT))
        assert list(files) == [
            "read-me-first.txt",
            "source-1/resources.ndjson", "source-1/provenance.ndjson", "source-1/remarks.ndjson",
            "source-2/resources.ndjson", "source-2/provenance.ndjson", "source-2/remarks.ndjson",
            "contents.json",
        ]  # fmt: skip
        assert b'"b1"' in files["source-2/resources.ndjson"]
        assert b'"b1"' not in files["source-1/resources.ndjson"]

    def test_is_the_same_for_the_same_moment(self, alice, connection):
        first, again = (b"".join(copies.copy(parts(alice), Form.BUNDLE, at=AT)) for _ in range(2))
        assert first == again

    @pytest.mark.parametrize("form", list(Form))
    def test_loses_one_row_that_does_not_open_and_names_it(self, alice, connection, form):
        spoil(connection, "AllergyIntolerance", "a1")
        whole = b"".join(unpacked(copies.copy(parts(alice), form, at=AT)).values())
        assert b"AllergyIntolerance/a1 could not be opened, and is not here." in whole
        assert b"13.20" in whole

    @pytest.mark.parametrize("form", list(Form))
    def test_loses_one_earlier_version_that_does_not_open_and_names_it(self, alice, connection, form):
        for days, criticality in enumerate(("low", "high"), start=1):
            keep(connection, allergy("a1", criticality=criticality), at=AT + timedelta(days=days))
        first = RecordVersion.objects.earliest("pk")
        RecordVersion.objects.filter(pk=first.pk).update(sealed_body=b"\x03" + bytes(80))
        files = unpacked(copies.copy(parts(alice), form, at=AT))
        (line,) = files["source-1/earlier-versions.ndjson"].splitlines()
        assert json.loads(line)["resource"] == allergy("a1", criticality="low")
        assert b"AllergyIntolerance/a1 could not be opened, and is not here." in b"".join(files.values())
        assert b"3 entries" in b"".join(files.values())

    def test_breaks_off_where_nothing_opens(self, alice, connection):
        DataKey.objects.all().delete()
        with pytest.raises(VaultError):
            list(copies.copy(parts(alice), Form.BUNDLE, at=AT))

    @pytest.mark.parametrize(
        ("form", "during"),
        [(Form.BUNDLE, "batches"), (Form.BUNDLE, "earlier"), (Form.LINES, "batches"), (Form.LINES, "headings")],
    )
    def test_breaks_off_where_it_is_deleted_meanwhile(self, alice, connection, form, during, monkeypatch):
        keep(connection, allergy("a1", criticality="high"), at=AT + timedelta(days=1))
        read = getattr(stored, during)

        def cut_short(*args, **kwargs):
            for number, some in enumerate(read(*args, **kwargs)):
                yield some
                if number == 0:
                    deleting_copies.forget(connection, actor=Actor.user(alice.pk), at=AT)

        monkeypatch.setattr(stored, "_ROWS_AT_ONCE", 1)
        monkeypatch.setattr(stored, during, cut_short)
        came: list[bytes] = []
        with pytest.raises(DeletedMeanwhile):
            came.extend(copies.copy(parts(alice), form, at=AT))
        assert b"contents.json" not in b"".join(came)

    def test_breaks_off_where_its_connection_goes(self, alice, connection):
        chosen = parts(alice)
        connection.delete()
        with pytest.raises(DeletedMeanwhile):
            list(copies.copy(chosen, Form.BUNDLE, at=AT))

    @pytest.mark.parametrize("form", list(Form))
    def test_has_earlier_versions_that_are_much_longer_than_what_stands(self, alice, connection, form, monkeypatch):
        monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 400_000)  # in place of two gigabytes
        monkeypatch.setattr(archives, "_LONG_FORM_FROM_BYTES", 200_000)
        for day in range(1, 31):
            keep(connection, allergy("a1", note=secrets.token_hex(10_000)), at=AT + timedelta(days=day))
        keep(connection, allergy("a1"), at=AT + timedelta(days=31))
        files = unpacked(copies.copy(parts(alice), form, at=AT))
        assert files["source-1/earlier-versions.ndjson"].count(b"\n") == 31

    @pytest.mark.parametrize("form", list(Form))
    def test_has_what_repeats_itself_and_is_stored_much_shorter(self, alice, connection, form, monkeypatch):
        monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 400_000)  # in place of two gigabytes
        monkeypatch.setattr(archives, "_LONG_FORM_FROM_BYTES", 200_000)
        notes = [secrets.token_hex(200) * 40 for _ in range(40)]  # each of 16,000 characters, and of 200 bytes of news
        keep(connection, *(allergy(f"a{number}", note=note) for number, note in enumerate(notes)))
        files = unpacked(copies.copy(parts(alice), form, at=AT))
        (whole,) = (content for name, content in files.items() if name.endswith(("bundle.json", "resources.ndjson")))
        assert all(note.encode() in whole for note in notes)

    def test_takes_along_what_arrives_meanwhile(self, alice, connection):
        chosen = parts(alice)
        keep(connection, allergy("a9"))
        assert b'"a9"' in unpacked(copies.copy(chosen, Form.LINES, at=AT))["source-1/resources.ndjson"]

    @settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(st.lists(st.binary(min_size=1, max_size=50), min_size=1, max_size=5))
    def test_has_whatever_was_stored(self, alice, connection, bodies):
        Record.objects.filter(connection=connection).delete()
        keep(connection, *(raw("Basic", f"b{number}", body) for number, body in enumerate(bodies)))
        files = unpacked(copies.copy(parts(alice), Form.LINES, at=AT))
        assert files["source-1/resources.ndjson"].count(b"\n") == len(bodies)
