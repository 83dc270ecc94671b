"""Numbers in sentences have their digits grouped, whichever code writes the sentence."""

import uuid

import pytest
from django.utils import translation

from apps.records import counts, gap_words, ledger
from apps.records.exporting import added_resources, copies
from apps.records.exporting.gaps import Gaps
from apps.records.exporting.ips import narrating
from apps.records.exporting.stored import Snapshot, Source
from apps.records.models import SyncRun, SyncStep
from apps.records.viewing.listing.allergy_words import Allergies
from apps.wire.dialects import FhirVersion
from tests.records.linked import AT, make_connection

SAID = {1: "1", 999: "999", 1_234: "1,234", 1_234_567: "1,234,567"}
SOURCE = Source(
    1, uuid.UUID(int=7), uuid.UUID(int=8), "x", "https://fhir.example", FhirVersion.R4, "p", AT, Snapshot(1_234)
)


@pytest.mark.parametrize("language", ["en", "es"])
class TestACount:
    @pytest.mark.parametrize("count", SAID)
    def test_has_its_digits_grouped(self, count, language):
        with translation.override(language):
            assert counts.grouped(count) == SAID[count]

    def test_is_told_so_in_sentences(self, language):
        with translation.override(language):
            told = (
                narrating.counted(1_234),
                Allergies(("x",) * 1_234, (), ()).headline,
                copies.explanation([copies.Part(SOURCE, Gaps((), False))], copies.Form.LINES, at=AT),
                str(added_resources.counted(SOURCE, added_resources.Count(1_234))),
            )
        for said in told:
            assert "1,234 " in said
            assert "1234" not in said

    @pytest.mark.django_db
    def test_is_told_so_by_the_ledger(self, alice, language):
        connection = make_connection(alice)
        run = SyncRun.objects.create(
            user=alice, connection=connection, cause="confirmed", created_at=AT, finished_at=AT, outcome="complete"
        )
        columns = {"resource_type": "Immunization", "status": "complete", "finished_at": AT}
        SyncStep.objects.create(run=run, user=alice, **columns)
        with translation.override(language):
            found = ledger.lines(connection, run, provider="x", counts={"vaccines": ledger.ShelfCounts(1_234)})
        assert any(line.sentence.startswith("1,234 ") for line in found)

    @pytest.mark.parametrize(
        ("columns", "said"),
        [
            ({"gap": "stopped_short", "rows_counted": 9_999, "rows_kept": 1_234}, ("9,999", "1,234.")),
            ({"gap": "stopped_short", "rows_counted": 1, "rows_kept": 1_234}, ("1,234 entr",)),
            ({"gap": "other_patient", "rows_refused": 1_234}, ("1,234 entr",)),
            ({"gap": "unreadable", "rows_unreadable": 1_234}, ("1,234 entr",)),
        ],
    )
    def test_is_told_so_of_what_is_missing(self, columns, said, language):
        step = SyncStep(resource_type="Immunization", status="gap", finished_at=AT, **columns)
        with translation.override(language):
            sentence = gap_words.of(step, provider="x").sentence
        assert all(part in sentence for part in said)
