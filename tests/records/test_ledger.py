"""One line for each subject: what came, or why it did not, and never just "no data"."""

from datetime import timedelta
from typing import Any

import pytest

from apps.records import ledger
from apps.records.gap_words import Kind
from apps.records.ledger import ShelfCounts
from apps.records.models import Record, SyncRun, SyncStep
from tests.records.linked import AT, make_connection, make_endpoint

pytestmark = pytest.mark.django_db

PROVIDER = "Harbor Family Practice"


def make_run(connection, *, is_open=False, **steps: str | dict[str, Any]):
    """A run whose steps ended with these gaps (empty: none), or with these columns."""
    run = SyncRun.objects.create(
        user=connection.user, connection=connection, cause="confirmed", created_at=AT,
        outcome="" if is_open else "partial", finished_at=None if is_open else AT,
    )  # fmt: skip
    for name, given in steps.items():
        columns: dict[str, Any] = given if isinstance(given, dict) else {"gap": given}
        status = "gap" if columns.get("gap") else "complete"
        SyncStep.objects.create(
            **{"run": run, "user": run.user, "resource_type": name, "status": status, "finished_at": AT, **columns}
        )
    return run


def keep(connection, resource_type, number=1, **columns):
    Record.objects.bulk_create(
        Record(
            user=connection.user, connection=connection, resource_type=resource_type, logical_id=f"{n}", digest=b"",
            sealed_body=b"", first_received_at=AT, received_at=AT, confirmed_at=AT, **columns,
        )
        for n in range(number)
    )  # fmt: skip


def line(connection, run, subject, **options):
    found = {str(one.subject): one for one in ledger.lines(connection, run, provider=PROVIDER, **options)}
    return found[subject]


class TestALine:
    def test_of_a_whole_type_counts_it_and_says_when(self, connection):
        keep(connection, "Immunization", 3)
        told = line(connection, make_run(connection, Immunization=""), "Vaccines")
        assert (told.kind, told.sentence) == (Kind.DONE, "3 entries. Complete as of November 20, 2026.")

    def test_of_nothing_sent_does_not_say_that_there_is_nothing(self, connection):
        told = line(connection, make_run(connection, Goal="", CarePlan=""), "Care plans and goals")
        assert told.sentence == f"{PROVIDER} sent no entries. This does not mean there are none."

    def test_says_nothing_of_another_connection_be_it_theirs_or_not(self, connection, other, sam):
        keep(connection, "Immunization", 2)
        run = make_run(connection, Immunization="")
        alone = line(connection, run, "Vaccines")
        assert alone.sentence == "2 entries. Complete as of November 20, 2026."
        for elsewhere in (other, make_connection(sam, connection.endpoint)):
            keep(elsewhere, "Immunization", 3)
            make_run(elsewhere, Immunization={"finished_at": AT + timedelta(days=5)})
        assert line(connection, run, "Vaccines") == alone

    def test_leaves_out_what_is_no_longer_there(self, connection):
        keep(connection, "Immunization", 2, removed_at=AT)
        assert line(connection, make_run(connection, Immunization=""), "Vaccines").entries == 0

    @pytest.mark.parametrize(
        ("gap", "kind", "words"),
        [
            ("not_shared", Kind.OFF, "did not allow this kind of entry"),
            ("not_offered", Kind.OFF, "does not offer this to apps"),
            ("not_enabled", Kind.OFF, "does not let this app in"),
            ("refused", Kind.FAULT, "did not accept our request"),
            ("unavailable", Kind.FAULT, "We could not get this on"),
            ("unreadable", Kind.FAULT, "an answer we could not read"),
            ("sign_in_needed", Kind.NEEDS_YOU, "wants you to sign in again"),
            ("too_much", Kind.INFO, "sent more than we can handle"),
        ],
    )
    def test_says_why_something_is_missing(self, connection, gap, kind, words):
        told = line(connection, make_run(connection, Immunization=gap), "Vaccines")
        assert told.kind is kind
        assert words in told.sentence

    @pytest.mark.parametrize(
        ("gap", "word", "sentence"),
        [
            ("not_shared", "Not all shared",
             f"Some of these entries are not shared. You or {PROVIDER} did not allow them. 2 entries are here."),
            ("unavailable", "Not complete", "We could not get all of this on November 20, 2026. 2 entries are here."),
        ],
    )  # fmt: skip
    def test_of_which_a_part_came_does_not_say_that_nothing_did(self, connection, gap, word, sentence):
        keep(connection, "Immunization", 2)
        told = line(connection, make_run(connection, Immunization={"gap": gap, "rows_kept": 2}), "Vaccines")
        assert (told.word, told.sentence) == (word, sentence)

    def test_says_that_we_try_again_where_we_do(self, connection):
        run = make_run(connection, Immunization="unavailable", Goal="not_shared", Practitioner="unavailable")
        sentences = {
            str(one.subject): one.sentence for one in ledger.lines(connection, run, provider=PROVIDER, tries_again=True)
        }
        again = "We could not get this on November 20, 2026. We try again about once a day."
        assert sentences["Vaccines"] == again
        assert sentences["People, places and names"] == f"{again} Missing: names of doctors and staff."
        assert "again" not in sentences["Care plans and goals"]

    @pytest.mark.parametrize(
        ("gap", "sentence"),
        [
            ("not_shared", f"Some results and measurements are not shared. You or {PROVIDER} did not allow them."),
            ("unavailable", "We could not get all results and measurements on November 20, 2026."),
        ],
    )
    def test_of_a_kind_under_several_subjects_names_that_kind(self, connection, gap, sentence):
        keep(connection, "Observation", 2)
        run = make_run(connection, Observation={"gap": gap, "rows_kept": 2})
        for subject in ("Results", "Vitals"):
            assert line(connection, run, subject).sentence.startswith(sentence)

    @pytest.mark.parametrize(
        ("columns", "said"),
        [
            ({"gap": "other_patient", "rows_kept": 3, "rows_refused": 2}, "2 entries were not yours:"),
            ({"gap": "unreadable", "rows_kept": 3, "rows_unreadable": 1}, f"1 entry from {PROVIDER} could not be read"),
            ({"gap": "stopped_short", "rows_kept": 3, "rows_counted": 9}, f"{PROVIDER} counted 9 but sent 3."),
            ({"gap": "stopped_short", "rows_kept": 3}, "3 entries came. There may be more"),
        ],
    )
    def test_of_a_kind_under_several_subjects_says_that_it_counts_all_of_it(self, connection, columns, said):
        run = make_run(connection, Observation=columns, Immunization=columns)
        for subject in ("Results", "Vitals"):
            told = line(connection, run, subject).sentence
            assert told.startswith(f"For all results and measurements together: {said}")
        assert line(connection, run, "Vaccines").sentence.startswith(said)

    def test_says_of_single_entries_what_became_of_them_whatever_else_is_missing(self, connection):
        columns = {"gap": "stopped_short", "rows_kept": 2, "rows_counted": 9, "rows_refused": 1, "rows_unreadable": 3}
        told = line(connection, make_run(connection, Immunization=columns), "Vaccines")
        assert (told.kind, told.word) == (Kind.FAULT, "Not complete")
        assert told.sentence == (
            f"{PROVIDER} counted 9 but sent 6. We cannot reach the rest. "
            f"1 entry was not yours: {PROVIDER} sent an entry about someone else. It is not in your record, and we "
            f"have told our staff. You may want to tell {PROVIDER}. "
            f"3 entries from {PROVIDER} could not be read, and are not here."
        )

    def test_says_what_is_here_where_that_is_not_what_came_last(self, connection):
        keep(connection, "Immunization", 30)
        for kept, here in ((0, " 30 entries are here."), (30, "")):
            SyncRun.objects.all().delete()
            run = make_run(connection, Immunization={"gap": "stopped_short", "rows_counted": 40, "rows_kept": kept})
            said = f"{PROVIDER} counted 40 but sent {kept}. We cannot reach the rest.{here}"
            assert line(connection, run, "Vaccines").sentence == said

    def test_has_words_for_every_gap(self, connection):
        for gap in SyncStep.Gap:
            SyncRun.objects.all().delete()
            told = line(connection, make_run(connection, Immunization=gap), "Vaccines")
            assert told.sentence
            assert "%" not in told.sentence

    @pytest.mark.parametrize(
        ("step", "entries", "is_done", "is_not_shared", "is_none_sent"),
        [
            ({}, 0, True, False, True),
            ({}, 2, True, False, False),
            ({"gap": "not_shared"}, 0, True, True, False),
            ({"gap": "too_much"}, 2, True, False, False),
            ({"gap": "unavailable"}, 0, True, False, False),
            ({"status": "waiting"}, 0, False, False, False),
            ({"status": "getting"}, 0, False, False, False),
        ],
    )
    def test_tells_what_is_not_shared_from_what_was_not_sent_and_from_what_may_come(
        self, connection, step, entries, is_done, is_not_shared, is_none_sent
    ):
        keep(connection, "Immunization", entries)
        told = line(connection, make_run(connection, Immunization=step), "Vaccines")
        assert (told.is_done, told.is_not_shared, told.is_none_sent) == (is_done, is_not_shared, is_none_sent)

    @pytest.mark.parametrize("is_stopped", [True, False])
    @pytest.mark.parametrize("status", ["waiting", "getting"])
    def test_is_under_way_only_while_something_moves(self, connection, status, is_stopped):
        run = make_run(connection, is_open=True, Immunization={"status": status})
        told = line(connection, run, "Vaccines", is_stopped=is_stopped)
        moves = status == "getting" and not is_stopped
        assert (told.kind, told.word) == ((Kind.WORKING, "Getting") if moves else (Kind.OFF, "Waiting"))

    def test_of_an_open_run_without_a_plan_waits(self, connection):
        told = line(connection, make_run(connection, is_open=True), "Vaccines")
        assert (told.word, told.is_done) == ("Waiting", False)

    def test_is_not_fetched_yet_without_a_run(self, connection):
        assert line(connection, None, "Vaccines").sentence == "Not fetched yet."

    def test_is_not_fetched_later_what_is_never_asked_for(self, alice):
        older = make_connection(alice, make_endpoint("https://fhir.example/dstu2", version="dstu2"))
        run = make_run(older, Condition="")
        assert line(older, run, "Insurance").sentence == f"{PROVIDER} does not offer this to apps. Ask them directly."
        assert line(older, run, "Vaccines").sentence == "Not fetched yet."
        assert line(older, make_run(older, is_open=True, Condition=""), "Insurance").sentence == "Not fetched yet."


class TestACheckForChangesThatFellShort:
    @pytest.mark.parametrize(("counted", "got"), [(6, 0), (None, 2), (6, 2)])
    def test_says_nothing_of_what_is_here_but_that_it_is(self, connection, counted, got):
        """A server may count all that it has, whatever was asked for."""
        keep(connection, "Immunization", 6)
        ended = {"since_at": AT, "rows_counted": counted, "rows_got": got, "rows_kept": got}
        run = make_run(connection, Immunization={"gap": "stopped_short", **ended})
        told = line(connection, run, "Vaccines")
        assert (told.word, told.sentence) == (
            "Not complete",
            f"{PROVIDER} may have something new here that we could not get on November 20, 2026. 6 entries are here.",
        )


class TestASubjectOfSeveralTypes:
    def test_says_which_of_them_is_missing(self, connection):
        keep(connection, "MedicationRequest", 4)
        run = make_run(connection, MedicationRequest="", MedicationStatement="", MedicationDispense="unavailable")
        told = line(connection, run, "Medicines")
        assert told.sentence == (
            "We could not get this on November 20, 2026. 4 entries are here. Missing: pharmacy fills."
        )

    @pytest.mark.parametrize("gap", ["unavailable", "unreadable", "not_shared"])
    def test_calls_nothing_missing_that_came_before(self, connection, gap):
        keep(connection, "MedicationRequest", 3)
        keep(connection, "MedicationDispense", 4)
        run = make_run(connection, MedicationRequest="", MedicationStatement=gap, MedicationDispense=gap)
        told = line(connection, run, "Medicines").sentence
        assert told.endswith("7 entries are here. Missing: medicines as reported. Not up to date: pharmacy fills.")

    def test_is_complete_as_of_the_newest_proof_of_each_and_the_oldest_of_all(self, connection):
        keep(connection, "MedicationRequest")
        for days in (
            {"MedicationRequest": -9, "MedicationStatement": -9},
            {"MedicationRequest": 5, "MedicationStatement": 0},
        ):
            run = make_run(connection, **{name: {"finished_at": AT + timedelta(n)} for name, n in days.items()})
        assert line(connection, run, "Medicines").sentence == "1 entry. Complete as of November 20, 2026."

    def test_says_what_is_here_where_one_of_them_counts_itself_alone(self, connection):
        keep(connection, "MedicationRequest", 4)
        short = {"gap": "stopped_short", "rows_kept": 4, "rows_counted": 9}
        run = make_run(connection, MedicationRequest=short, MedicationStatement="", MedicationDispense="not_shared")
        assert line(connection, run, "Medicines").sentence == (
            f"{PROVIDER} counted 9 but sent 4. We cannot reach the rest. 4 entries are here. Missing: pharmacy fills."
        )

    def test_calls_nothing_missing_or_old_of_which_a_part_came(self, connection):
        keep(connection, "MedicationDispense", 2)
        run = make_run(connection, MedicationRequest="", MedicationDispense={"gap": "unavailable", "rows_kept": 2})
        told = line(connection, run, "Medicines").sentence
        assert told == "We could not get all of this on November 20, 2026. 2 entries are here."

    @pytest.mark.parametrize("settled", ["not_shared", "not_offered", "turned_away"])
    @pytest.mark.parametrize("names", [("CarePlan", "Goal"), ("Goal", "CarePlan")])
    def test_says_first_what_may_still_come(self, connection, settled, names):
        """As lists do: what nobody but its provider can change does not hide what we try again."""
        run = make_run(connection, **dict(zip(names, (settled, "unavailable"), strict=True)))
        told = line(connection, run, "Care plans and goals")
        assert (told.kind, told.word) == (Kind.FAULT, "Not complete")
        assert told.sentence == "We could not get this on November 20, 2026."

    def test_is_not_measured_by_what_its_provider_does_not_offer(self, connection):
        keep(connection, "MedicationRequest", 4)
        run = make_run(connection, MedicationRequest="", MedicationDispense="not_offered")
        assert line(connection, run, "Medicines").sentence.startswith("4 entries. Complete")

    def test_is_under_way_while_one_of_them_is(self, connection):
        run = make_run(connection, is_open=True, CarePlan="unavailable", Goal={"status": "getting"})
        told = line(connection, run, "Care plans and goals")
        assert (told.kind, told.is_done) == (Kind.WORKING, False)

    def test_counts_no_row_twice(self, connection):
        keep(connection, "Observation", 7)
        told = ledger.lines(connection, make_run(connection, Observation=""), provider=PROVIDER)
        assert sum(one.entries for one in told) == 7
        assert {str(one.subject): one.sentence for one in told}["Vitals"] == "Counted with Results."

    def test_counts_its_own_rows_beside_those_that_another_counts(self, connection):
        keep(connection, "Observation", 7)
        keep(connection, "FamilyMemberHistory", 2)
        run = make_run(connection, Observation="", FamilyMemberHistory="")
        assert line(connection, run, "Family and social history").sentence.startswith("2 entries.")

    def test_says_while_it_comes_with_what_it_is_counted(self, connection):
        keep(connection, "Observation", 7)
        run = make_run(connection, is_open=True, Observation={"status": "getting"})
        assert line(connection, run, "Results").sentence == "7 entries are here."
        assert line(connection, run, "Vitals").sentence == "Counted with Results."

    def test_counts_as_the_shelves_do_where_they_are_open(self, connection):
        keep(connection, "Observation", 7)
        run = make_run(connection, Observation="")
        told = line(connection, run, "Vitals", counts={"results": ShelfCounts(5), "vitals": ShelfCounts(2)})
        assert told.sentence.startswith("2 entries.")

    def test_has_nothing_where_there_is_no_shelf_and_nothing_to_be_on_it(self, connection):
        keep(connection, "Observation", 7)
        run = make_run(connection, Observation="")
        told = line(
            connection, run, "Family and social history", counts={"results": ShelfCounts(5), "vitals": ShelfCounts(2)}
        )
        assert told.word == "Nothing sent"

    def test_counts_rows_where_something_is_here_that_no_shelf_counts(self, connection):
        keep(connection, "Observation", 7)
        keep(connection, "Immunization", 3)
        run = make_run(connection, Observation="", Immunization="")
        told = line(connection, run, "Vaccines", counts={"results": ShelfCounts(5), "vitals": ShelfCounts(2)})
        assert told.sentence.startswith("3 entries.")

    @pytest.mark.parametrize(
        ("subject", "came", "sentence"),
        [
            (
                "Allergies and reactions",
                ShelfCounts(1, none_known=1),
                "recorded: none known, or none of a kind. Complete as of November 20, 2026.",
            ),
            (
                "Health conditions",
                ShelfCounts(2, none_known=2),
                "recorded: none known. Complete as of November 20, 2026.",
            ),
            ("Health conditions", ShelfCounts(1, no_information=1), "says it has no information about this."),
        ],
    )
    def test_counts_no_entry_that_says_there_is_none(self, connection, subject, came, sentence):
        key = {"Health conditions": "conditions"}.get(subject, "allergies")
        run = make_run(connection, AllergyIntolerance="", Condition="")
        assert line(connection, run, subject, counts={key: came}).sentence == f"{PROVIDER} {sentence}"

    def test_counts_all_where_one_of_several_says_that_there_is_none(self, connection):
        run = make_run(connection, AllergyIntolerance="")
        told = line(connection, run, "Allergies and reactions", counts={"allergies": ShelfCounts(2, none_known=1)})
        assert told.sentence.startswith("2 entries.")

    def test_says_of_what_came_what_its_list_does_not_count(self, connection):
        run = make_run(connection, MedicationRequest="")
        told = line(connection, run, "Medicines", counts={"medicines": ShelfCounts(8, fills=4, drafts=1)})
        assert told.sentence == (
            "8 entries. Complete as of November 20, 2026. Of these, 4 pharmacy fills are listed under their "
            "prescription. Of these, 1 entry is not final, and not counted in lists."
        )


class TestWhatAccompaniesEntries:
    def test_has_a_line_where_some_of_it_did_not_come(self, connection):
        gaps = {"Practitioner": "unavailable", "PractitionerRole": "unavailable", "Provenance": "refused"}
        told = line(connection, make_run(connection, Goal="", **gaps), "People, places and names")
        assert (told.kind, told.is_done) == (Kind.FAULT, True)
        assert told.sentence == (
            "We could not get this on November 20, 2026. Missing: names of doctors and staff. "
            f"{PROVIDER} did not accept our request on November 20, 2026. This is ours to fix. "
            "Missing: who recorded an entry."
        )

    @pytest.mark.parametrize("names", [("Practitioner", "Location"), ("Location", "Practitioner")])
    def test_looks_as_the_gravest_of_it_does(self, connection, names):
        gaps = dict(zip(names, ("too_much", "unavailable"), strict=True))
        assert line(connection, make_run(connection, **gaps), "People, places and names").kind is Kind.FAULT

    def test_has_none_where_it_came_or_is_not_to_be_had(self, connection):
        run = make_run(connection, Goal="", Practitioner="", Location="not_shared", Provenance="not_offered")
        told = ledger.lines(connection, run, provider=PROVIDER)
        assert "People, places and names" not in {str(one.subject) for one in told}


class TestOtherEntries:
    def test_have_a_line_where_there_are_any(self, connection):
        keep(connection, "Appointment", 2)
        run = make_run(connection, Appointment="")
        assert line(connection, run, "Other entries").sentence.startswith("2 entries.")

    def test_have_a_line_where_they_did_not_come(self, connection):
        told = line(connection, make_run(connection, Appointment="unavailable"), "Other entries")
        assert told.sentence == "We could not get this on November 20, 2026."

    def test_have_a_line_where_they_are_here_and_are_asked_for_no_more(self, connection):
        keep(connection, "Appointment", 2)
        told = line(connection, make_run(connection, Goal=""), "Other entries")
        assert told.sentence == f"{PROVIDER} does not offer this to apps. Ask them directly. 2 entries are here."

    def test_have_none_where_there_are_none(self, connection):
        told = ledger.lines(connection, make_run(connection, Goal=""), provider=PROVIDER)
        assert "Other entries" not in {str(one.subject) for one in told}
