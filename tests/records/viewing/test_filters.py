"""What a URL can ask of a list: a year, one provider, a page, an order, a kind of document, and nothing else."""

from typing import Any

import pytest

from apps.connections.authorization_responses import candidates
from apps.connections.authorization_responses.candidates import Candidate
from apps.records import shelving
from apps.records.models import Leaf, Record
from apps.records.shelving.indexing import MOST_ROWS
from apps.records.subjects import ALLERGIES, CONDITIONS, DOCUMENTS, LISTED, MEDICINES, RESULTS, VITALS, Subject
from apps.records.viewing.listing import lists, narrowing
from apps.records.viewing.listing.entry_list import EntryList
from apps.records.viewing.listing.filters import Filters
from apps.records.viewing.listing.narrowing import Choice, Choices
from apps.records.viewing.opening import whole
from tests.records.linked import AT
from tests.records.people import PATIENT_ID, allergy
from tests.records.shelved import keep, order, result

pytestmark = pytest.mark.django_db


@pytest.fixture
def of(alice):
    """Her list of a subject, or everything by date, as such an address asks for it."""

    def listed(subject: Subject | None, /, **asked: Any) -> EntryList:
        wanted = LISTED if subject is None else [subject]
        with whole.opened(alice, wanted, session={}, at=AT) as record:
            filters = Filters(**asked)
            if subject is None:
                return lists.of_everything(record, LISTED, filters)
            return lists.of_subject(record, subject, filters)

    return listed


def names(found):
    return [row.title for section in found.sections for row in section.rows]


def days(found):
    return [row.when for section in found.sections for row in section.rows]


def taken(number, day, **sent):
    return {**result(number, name=f"Test {number}", code=f"local-{number}"), "effectiveDateTime": day, **sent}


def note(number, *, kind="Letter", author="Dr. Ives", day="2024-01-05"):
    return {
        "resourceType": "DocumentReference",
        "id": f"d{number}",
        "status": "current",
        "type": {"text": kind},
        "subject": {"reference": f"Patient/{PATIENT_ID}"},
        "author": [{"display": author}],
        "date": f"{day}T10:00:00Z",
        "content": [{"attachment": {"contentType": "text/plain", "url": f"Binary/b{number}"}}],
    }


def marked(user, sort, name):
    return narrowing.mark(user.pk, sort, name)


class TestAYear:
    def test_is_told_newest_first_with_how_many_and_without_what_has_none(self, of, connection):
        keep(
            connection,
            *(taken(nth, f"{2010 + nth}-02-03") for nth in range(16)),
            {**result(20), "effectiveDateTime": None},
        )
        found = of(RESULTS)
        assert found.years == tuple((str(2025 - nth), 1) for nth in range(16))
        assert found.years_at_hand == tuple(str(2025 - nth) for nth in range(6))
        assert found.earlier_years == tuple(str(2019 - nth) for nth in range(10))

    def test_is_no_part_where_there_is_one_alone(self, of, connection):
        keep(connection, *(taken(nth, "2024-02-03") for nth in range(16)))
        assert of(RESULTS).years == (("2024", 16),)
        assert not of(RESULTS).has_parts
        assert of(RESULTS, year="2001").has_parts  # who was led to a year that is gone finds the way back
        keep(connection, taken(16, "2023-02-03"))
        assert of(RESULTS).has_parts

    def test_is_not_offered_of_fifteen_and_one_alone_not_folded_away(self, of, connection):
        keep(connection, *(taken(nth, f"{2010 + nth % 7}-02-03") for nth in range(15)))
        assert of(RESULTS).years == ()
        assert of(RESULTS, year="2012").years != ()
        keep(connection, taken(15, "2016-02-03"))
        found = of(RESULTS)
        assert len(found.years_at_hand) == 7
        assert found.earlier_years == ()

    def test_has_all_of_that_year_and_nothing_of_the_next(self, of, connection):
        sent = [taken(nth, f"{2020 + nth % 3}-02-{nth % 28 + 1:02}") for nth in range(180)]
        keep(connection, *sent)
        found = of(RESULTS, year="2021", page=2)
        assert (found.count, found.pages, len(names(found))) == (60, 2, 10)
        assert not found.is_empty_by_choice
        assert {row.year for section in found.sections for row in section.rows} == {"2021"}
        whole_year = [*names(of(RESULTS, year="2021")), *names(found)]
        assert sorted(whole_year) == sorted(one["code"]["text"] for one in sent if "2021" in one["effectiveDateTime"])

    def test_of_a_list_by_name_is_newest_first(self, of, connection):
        keep(
            connection,
            order("m1", name="Aspirin", code="1", on="2023-01-05"),
            order("m2", name="Zinc", code="2", on="2024-06-05"),
            order("m3", name="Iron", code="3", on="2024-01-05"),
        )
        assert names(of(MEDICINES)) == ["Aspirin", "Iron", "Zinc"]
        assert names(of(MEDICINES, year="2024")) == ["Zinc", "Iron"]
        assert names(of(MEDICINES, arranged="date")) == ["Zinc", "Iron", "Aspirin"]
        assert names(of(MEDICINES, year="2022")) == []
        assert of(MEDICINES, year="2022").is_empty_by_choice
        keep(connection, *(order(f"n{nth}", name=f"Pill {nth}", code=f"p{nth}", on="2022-01-05") for nth in range(16)))
        assert of(MEDICINES).years == ()
        assert of(MEDICINES, arranged="date").years == (("2024", 2), ("2023", 1), ("2022", 16))

    def test_with_what_is_gone_asks_for_that_year(self, of, connection):
        keep(connection, order("m1", on="2023-01-05"), order("m2", name="Zinc", code="2", on="2024-01-05"))
        assert names(of(MEDICINES, year="2023", arranged="gone")) == ["Lisinopril 10 MG Oral Tablet"]
        assert names(of(MEDICINES, arranged="gone")) == []


class TestAProvider:
    def test_has_its_own_entries_years_and_faults_alone(self, of, connection, other):
        keep(connection, *(taken(nth, "2020-02-03") for nth in range(20)))
        keep(
            other, *(taken(nth, "2021-02-03") for nth in range(17)), taken(30, "2021-02-03", status="entered-in-error")
        )
        found = of(RESULTS, source=connection.pk)
        assert (found.count, found.years) == (20, (("2020", 20),))
        assert found.withdrawn == ()
        assert [one.provider for one in found.all_sources] == ["Harbor Family Practice"]
        assert found.narrowed_to == ("Harbor Family Practice",)
        assert found.has_parts
        everything = of(RESULTS)
        assert everything.narrowed_to == ()
        assert len(everything.sources_to_choose) == 2
        assert [one.provider for one in everything.withdrawn] == ["Riverside Hospital"]
        Record.objects.filter(connection=other, logical_id="o0").update(sealed_body=b"gone")
        shelving.rebuild_all(other, at=AT)
        assert of(RESULTS).lacks_some
        assert not of(RESULTS, source=connection.pk).lacks_some
        Leaf.objects.filter(shelf__connection=other).delete()
        other.shelves.update(sealed_index=b"gone")
        assert of(RESULTS).does_not_open
        assert not of(RESULTS, source=connection.pk).does_not_open

    def test_is_nothing_to_choose_where_the_others_have_no_entry(self, of, connection, other):
        keep(connection, result(0))
        keep(other, order("m1"))
        found = of(RESULTS)
        assert [one.provider for one in found.sources] == ["Harbor Family Practice"]
        assert found.sources_to_choose == ()
        assert not found.has_parts
        assert len(found.all_sources) == 2
        assert found.clinic == "Harbor Family Practice"
        assert not found.is_of_nothing
        of_nothing = of(CONDITIONS, year="2022")
        assert of_nothing.is_of_nothing
        assert not of_nothing.is_empty_by_choice
        chosen = of(RESULTS, source=other.pk)
        assert chosen.is_empty_by_choice
        assert not chosen.is_of_nothing

    def test_that_sent_the_very_same_as_another_is_counted_and_shown_once(self, of, connection, other):
        keep(connection, result(0), result(1))
        assert of(RESULTS).sent_again == 0
        keep(other, result(0))
        found = of(RESULTS)
        assert (found.count, len(names(found)), found.sent_again) == (3, 2, 1)
        assert len(found.sources_to_choose) == 2
        assert found.has_parts

    def test_is_nothing_to_choose_of_several_people(self, of, connection, other):
        """Whose record it is comes before which provider's."""
        other.sealed_person = candidates.seal_person(other, Candidate(PATIENT_ID, "Perrin Quillfeather", "2019-03-09"))
        other.save()
        keep(connection, result(0))
        keep(other, result(1))
        found = of(RESULTS)
        assert len(found.sources) == 2
        assert found.sources_to_choose == ()
        assert not found.has_parts


class TestAPage:
    def test_has_fifty_and_the_last_one_what_is_left(self, of, connection):
        keep(connection, *(result(nth) for nth in range(2 * MOST_ROWS)))
        first, second, beyond = (of(RESULTS, page=page) for page in (1, 2, 9))
        assert (first.pages, second.filters.page, beyond.filters.page) == (2, 2, 2)
        assert len(days(first)) == len(days(second)) == MOST_ROWS
        assert days(second) == days(beyond)
        assert set(days(first)).isdisjoint(days(second))
        assert (days(first)[0], days(second)[0]) == ("December 31, 2024", "November 11, 2024")
        keep(connection, result(200))
        assert len(days(of(RESULTS, page=3))) == 1
        assert of(CONDITIONS).pages == 1


class TestAnOrder:
    def test_by_name_is_of_results_alone(self, of, connection):
        keep(connection, result(0), result(1), allergy("a1"), order("m1", name="Zinc"), order("m2", name="Aspirin"))
        assert len(names(of(RESULTS, arranged="name"))) == 1
        assert of(RESULTS, arranged="name").is_latest
        assert len(names(of(RESULTS))) == 2
        for subject in (ALLERGIES, MEDICINES):
            assert names(of(subject, arranged="name")) == names(of(subject)) != []

    def test_of_what_is_not_final_is_of_medicines_alone(self, of, connection):
        keep(connection, result(0), order("m1", status="draft"))
        assert names(of(RESULTS, arranged="drafts")) == names(of(RESULTS)) != []
        assert len(names(of(MEDICINES, arranged="drafts"))) == 1
        assert names(of(MEDICINES)) == []

    def test_of_vital_signs_is_the_latest_of_each(self, of, connection):
        vital = {"category": [{"coding": [{"code": "vital-signs"}]}]}
        pulses = [{**result(nth, name="Pulse", code="8867-4"), **vital} for nth in range(3)]
        keep(connection, *pulses, {**result(5, name="Weight", code="29463-7"), **vital})
        assert len(names(of(VITALS))) == 2
        assert len(names(of(VITALS, arranged="date"))) == 4
        assert len(names(of(VITALS, year="2024"))) == 4


class TestAKindOfDocument:
    def test_is_of_that_kind_and_that_author_and_that_year(self, of, alice, connection):
        keep(
            connection,
            *(note(nth, day=f"2024-01-{nth + 1:02}") for nth in range(12)),
            *(note(20 + nth, kind="Report", day="2023-05-05") for nth in range(4)),
            *(note(30 + nth, author="Dr. Ash", day=f"2023-06-{nth + 1:02}") for nth in range(2)),
        )
        letters = {"kind": marked(alice, "kind", "letter")}
        found = of(DOCUMENTS, **letters)
        assert found.count == 14
        assert set(names(found)) == {"Letter"}
        assert found.narrowed_to == ("Letter",)
        assert of(DOCUMENTS, **letters, author=marked(alice, "author", "Dr. Ash")).count == 2
        of_a_year = of(DOCUMENTS, **letters, year="2023")
        assert (of_a_year.count, of_a_year.years) == (2, (("2024", 12), ("2023", 2)))
        reports = {"kind": marked(alice, "kind", "Report")}
        assert of(DOCUMENTS, **reports, year="2024").is_empty_by_choice
        assert of(DOCUMENTS, **reports, author=marked(alice, "author", "Dr. Ash")).is_empty_by_choice
        assert of(DOCUMENTS, kind="a" * narrowing.MARK_LENGTH).count == 18

    def test_is_offered_where_there_are_more_than_fifteen_of_this_provider(self, of, connection, other):
        keep(connection, *(note(nth, kind=("Letter", "Report")[nth % 2]) for nth in range(15)))
        assert of(DOCUMENTS).narrowings == ()
        keep(other, note(50, kind="Plan"))
        (kinds,) = of(DOCUMENTS).narrowings
        assert [one.name for one in kinds.choices] == ["Letter", "Report", "Plan"]
        keep(connection, note(16, kind="Report"))
        (kinds,) = of(DOCUMENTS, source=connection.pk).narrowings
        assert [one.name for one in kinds.choices] == ["Letter", "Report"]

    def test_has_a_mark_of_its_own_for_each_reader_and_sort(self, alice, sam):
        told = {marked(user, sort, "Dr. Ives") for user in (alice, sam) for sort in ("kind", "author")}
        assert len(told) == 4
        assert marked(alice, "author", "DR. IVES") in told

    @pytest.mark.parametrize(("count", "at_hand"), [(3, 3), (4, 4), (5, 3), (9, 3)])
    def test_is_folded_away_where_there_are_two_more_than_three(self, count, at_hand):
        names = [f"Kind {number}" for number in reversed(range(count))]
        offered = Choices("kind", "Kind", tuple(Choice(name, name, is_on=False) for name in names))
        assert [one.name for one in offered.at_hand] == names[:at_hand]
        assert [one.name for one in offered.further] == sorted(names[at_hand:])

    def test_has_pages_too(self, of, alice, connection):
        keep(connection, *(note(nth, kind=("Letter", "Report")[nth % 2]) for nth in range(2 * MOST_ROWS + 4)))
        letters = {"kind": marked(alice, "kind", "Letter")}
        first, last = of(DOCUMENTS, **letters), of(DOCUMENTS, **letters, page=2)
        assert (first.count, first.pages, len(names(first)), len(names(last))) == (52, 2, 50, 2)
        assert of(DOCUMENTS, **letters, page=7).filters.page == 2


class TestASubject:
    """Of everything by date."""

    def test_has_its_own_entries_years_and_providers_alone(self, of, connection, other):
        keep(connection, *(taken(nth, f"{2020 + nth % 3}-02-03") for nth in range(60)), order("m1", on="2019-01-05"))
        keep(other, order("m2", name="Zinc", code="2", on="2018-01-05"), allergy("a1"))
        found = of(None, subject="medicines")
        assert names(found) == ["Lisinopril 10 MG Oral Tablet", "Zinc"]
        assert (found.count, found.years) == (2, (("2019", 1), ("2018", 1)))
        assert found.narrowed_to == ("Medicines",)
        assert len(found.sources_to_choose) == 2
        assert [one.provider for one in of(None, subject="results").sources] == ["Harbor Family Practice"]
        assert len(names(of(None, subject="results", page=2))) == 10
        assert of(None, subject="results", year="2021").count == 20
        assert names(of(None, subject="medicines", source=other.pk)) == ["Zinc"]

    def test_is_offered_by_how_many_entries_it_has_where_there_are_two(self, of, connection, other):
        keep(connection, result(0), result(1))
        assert of(None).narrowings == ()
        keep(other, allergy("a1"), order("m1"), order("m2", name="Zinc", code="2"), order("m3", name="Iron", code="3"))
        (offered,) = of(None).narrowings
        assert [one.name for one in offered.choices] == ["Medicines", "Results", "Allergies and reactions"]
        (chosen,) = of(None, subject="results").narrowings
        assert [(one.name, one.is_on) for one in chosen.choices] == [("Results", True)]
        (offered,) = of(None, source=other.pk).narrowings
        assert [one.name for one in offered.choices] == ["Medicines", "Allergies and reactions"]

    def test_is_nothing_by_choice_where_it_has_none_of_the_year_but_not_where_it_does_not_open(self, of, connection):
        keep(connection, result(0), allergy("a1"))
        assert of(None, subject="results", year="2019").is_empty_by_choice
        assert of(None, subject="vitals").is_empty_by_choice
        connection.shelves.filter(subject="allergies").update(sealed_index=b"gone")
        assert of(None, subject="allergies").does_not_open
        assert not of(None, subject="allergies").is_empty_by_choice
        assert not of(None, subject="results").does_not_open

    def test_is_no_part_of_the_list_of_another(self, of, connection):
        keep(connection, result(0), order("m1"))
        assert names(of(RESULTS, subject="medicines")) == names(of(RESULTS)) != []
        assert of(RESULTS, subject="medicines").filters.subject == ""


class TestConditions:
    def condition(self, logical_id, name, *, day="2024-01-05", clinical="active"):
        return {
            "resourceType": "Condition",
            "id": logical_id,
            "clinicalStatus": {"coding": [{"code": clinical}]},
            "subject": {"reference": f"Patient/{PATIENT_ID}"},
            "code": {"text": name},
            "onsetDateTime": day,
        }

    def test_stand_by_name_with_what_is_in_remission_last_and_of_one_name_the_newest_first(self, of, connection):
        keep(
            connection,
            self.condition("c1", "Asthma", clinical="remission"),
            self.condition("c2", "Émphysema"),
            self.condition("c3", "Fever", day="2021-01-05"),
            self.condition("c4", "Fever", day="2023-01-05"),
            self.condition("c5", "Eczema"),
        )
        assert names(of(CONDITIONS)) == ["Eczema", "Émphysema", "Fever", "Asthma"]
        high = {"coding": [{"system": "http://snomed.info/sct", "code": "38341003"}]}
        older = {**self.condition("c6", "", day="2020-01-05"), "code": {**high, "text": "Arterial hypertension"}}
        keep(connection, older, {**older, "id": "c7", "code": {**high, "text": "HTN"}, "onsetDateTime": "2022-01-05"})
        (pressure,) = [row for section in of(CONDITIONS).sections for row in section.rows if "pressure" in row.title]
        assert (pressure.when, pressure.others[0].when) == ("January 5, 2022", "January 5, 2020")
        (fever,) = [row for section in of(CONDITIONS).sections for row in section.rows if row.title == "Fever"]
        assert fever.when == "January 5, 2023"
