"""Lists have each thing once, with everything about it underneath; and dates that cannot be true."""

import re
from typing import Any

import pytest
from django.urls import reverse

from apps.records.models import Record
from apps.records.presenters.entry import Context
from apps.records.presenters.generic import any_resource
from tests.records.pages import main, page
from tests.records.people import PATIENT_ID, allergy
from tests.records.shelved import keep, order, result

pytestmark = pytest.mark.django_db

AGAIN = "More entries of the same thing may be on another page."


def vaccine(logical_id, code, *, name, on="2024-01-05"):
    return {
        "resourceType": "Immunization",
        "id": logical_id,
        "status": "completed",
        "patient": {"reference": f"Patient/{PATIENT_ID}"},
        "vaccineCode": {"text": name, "coding": [{"system": "http://hl7.org/fhir/sid/cvx", "code": code}]},
        "occurrenceDateTime": on,
    }


class TestAThingToldManyTimes:
    def test_is_one_row_with_every_entry_under_it(self, hers, connection):
        keep(connection, *(order(f"m{year}", on=f"{year}-01-05", status="completed") for year in range(2020, 2025)))
        text = main(hers, "subject", "medicines")
        assert text.count('class="row-link"') == 1
        assert "4 more entries of this" in text
        for record in Record.objects.filter(resource_type="MedicationRequest"):
            assert text.count(reverse("entry", args=["medicines", record.pk])) == 1
        assert text.index("Prescribed January 5, 2024") < text.index("Prescribed January 5, 2020")

    def test_is_a_row_of_its_own_in_each_group(self, hers, connection):
        keep(connection, order("m1"), order("m2", status="stopped"))
        text = main(hers, "subject", "medicines")
        assert text.count('class="row-link"') == 2
        assert text.index(">Current<") < text.index(">Past<")

    def test_by_two_providers_says_so_and_keeps_both(self, hers, connection, other):
        keep(connection, order("m1", on="2024-01-05"))
        keep(other, order("m1", name="lisinopril 10mg tab", on="2023-02-06"))
        text = main(hers, "subject", "medicines")
        assert "2 providers list this" in text
        for said in ("lisinopril 10mg tab", "January 5, 2024", "February 6, 2023", "Riverside Hospital"):
            assert said in text

    @pytest.mark.parametrize(("theirs", "rows"), [("7.5 mg daily", 2), ("2.5 mg daily", 1)])
    def test_by_two_providers_on_one_day_hides_no_other_dose(self, hers, connection, other, theirs, rows):
        keep(
            connection, {**order("m1", name="Warfarin", code="11289"), "dosageInstruction": [{"text": "2.5 mg daily"}]}
        )
        keep(other, {**order("m2", name="Warfarin", code="11289"), "dosageInstruction": [{"text": theirs}]})
        text = main(hers, "subject", "medicines", by="date")
        assert text.count('class="row-link"') == rows
        assert "2.5 mg daily" in text
        assert theirs in text

    def test_by_two_providers_hides_no_other_conclusion(self, hers, connection, other):
        report = {
            "resourceType": "DiagnosticReport",
            "id": "r1",
            "status": "final",
            "code": {"text": "Biopsy", "coding": [{"system": "http://loinc.org", "code": "11529-5"}]},
            "effectiveDateTime": "2024-01-05",
            "subject": {"reference": f"Patient/{PATIENT_ID}"},
        }
        keep(connection, {**report, "conclusion": "Nothing unusual"})
        keep(other, {**report, "conclusion": "See the surgeon"})
        assert main(hers, "subject", "results").count('class="row-link"') == 2

    def test_is_not_another_thing(self, hers, connection):
        keep(connection, order("m1"), order("m2", name="Lisinopril 20 MG Oral Tablet", code="314077"))
        text = main(hers, "subject", "medicines")
        assert text.count('class="row-link"') == 2
        assert "more entr" not in text

    def test_without_a_strength_in_its_name_is_not_another_strength(self, hers, connection):
        keep(
            connection,
            order("m1", name="Warfarin", code="855288"),
            order("m2", name="Warfarin", code="855296"),
            order("m3", name="Warfarin", code="855288", on="2023-01-05"),
            {**order("m4", on="2022-01-05"), "medicationCodeableConcept": {"text": "Warfarin"}},
        )
        text = main(hers, "subject", "medicines")
        assert text.count('class="row-link"') == 2  # what has no code may be either, and hides neither

    def test_without_a_strength_in_its_name_is_one_where_its_code_is(self, hers, connection):
        keep(connection, *(order(f"m{n}", name="Warfarin", code="855288", on=f"202{n}-01-05") for n in (3, 4)))
        assert main(hers, "subject", "medicines").count('class="row-link"') == 1

    def test_with_a_strength_in_its_name_is_one_however_it_is_coded(self, hers, connection):
        keep(connection, order("m1", code="314076"), order("m2", code="104377"))
        assert main(hers, "subject", "medicines").count('class="row-link"') == 1

    def test_has_each_entry_in_a_list_by_date(self, hers, connection):
        keep(connection, *(order(f"m{month}", on=f"2024-0{month}-05") for month in range(1, 5)))
        assert main(hers, "subject", "medicines", by="date").count('class="row-link"') == 4


class TestVaccines:
    def test_are_said_to_be_in_the_order_that_they_are_in(self, hers, connection):
        keep(
            connection, vaccine("i1", "187", name="zoster"), {**vaccine("i2", "141", name="flu"), "status": "not-done"}
        )
        text = main(hers, "subject", "vaccines")
        assert "given first, then A to Z" in text
        assert text.index(">Given<") < text.index(">Not given<")

    def test_are_told_by_illness_and_a_combination_under_each(self, hers, connection):
        keep(
            connection,
            vaccine("i1", "115", name="Tdap"),
            vaccine("i2", "141", name="Influenza, seasonal", on="2023-10-01"),
            vaccine("i3", "140", name="Influenza, preservative free", on="2022-10-01"),
        )
        text = main(hers, "subject", "vaccines")
        titles = re.findall(r'class="row-title name">([^<]+)', text)
        assert [title.strip() for title in titles] == ["Diphtheria", "Flu", "Tetanus", "Whooping cough (pertussis)"]
        assert text.count("Tdap") == 3
        assert text.index("October 1, 2023") < text.index("October 1, 2022")

    def test_of_an_illness_we_do_not_know_keep_the_providers_name(self, hers, connection):
        keep(connection, vaccine("i1", "99999", name="Snake venom, mixed"))
        assert "Snake venom, mixed" in page(hers, "subject", "vaccines")


class TestOnPaper:
    @pytest.mark.parametrize("name", ["whole_record", "everything_by_date", "subject", "entry", "over_time"])
    def test_says_whose_it_is_and_how_current(self, hers, connection, name):
        keep(connection, result(0))
        ways: dict[str, list[Any]] = {"subject": ["results"], "entry": ["results", 0], "over_time": ["results", 0]}
        args = ways.get(name, [])
        args = [Record.objects.get(logical_id="o0").pk if arg == 0 else arg for arg in args]
        text = main(hers, name, *args)
        on_paper = text.split('class="print-only"')[1].split("</div>")[0]
        assert "Wrenna Quillfeather" in on_paper
        assert "Born March 9, 1984" in on_paper
        assert re.search(r"Printed \w+ \d+, \d{4}, [^<]+ UTC", on_paper.replace("\xa0", " "))
        assert "From Harbor Family Practice" in text

    def test_says_of_a_part_of_a_list_that_it_is_one(self, hers, connection, other):
        def said(*there, **query):
            found = re.findall(r'<p class="print-only">(.*?)</p>', main(hers, *there, **query))
            return " ".join(re.sub("<[^>]*>", "", " ".join(found)).split())

        keep(connection, *map(result, range(60)))
        keep(other, *(order(f"m{number}") for number in range(2)))
        results, medicines = ("subject", "results"), ("subject", "medicines")
        assert said(*results) == "Only a part of this list: Page 1 of 2"
        assert said(*results, year="2024", page=2) == "Only a part of this list: 2024 · Page 2 of 2"
        assert said(*medicines) == ""
        assert said(*medicines, **{"from": other.pk}) == "Only a part of this list: Riverside Hospital"
        assert said("everything_by_date", page=2) == "Only a part of this list: Page 2 of 2"

    def test_says_of_the_first_of_many_that_there_are_more(self, hers, connection):
        tests = [result(number, name=f"Test {number}", code=f"{number}-0") for number in range(6)]
        keep(connection, *tests[:5])
        assert "There are more." not in main(hers, "whole_record")
        keep(connection, *tests)
        assert '<dd class="print-only">There are more.</dd>' in main(hers, "whole_record")

    def test_says_that_a_table_has_the_newest_alone(self, hers, connection):
        keep(connection, *map(result, range(60)))
        text = main(hers, "over_time", "results", Record.objects.get(logical_id="o0").pk)
        assert '<p> The table has the newest 50 of 60 values. <a class="no-print"' in text

    def test_can_be_asked_for_without_script_by_saving(self, hers, connection):
        keep(connection, result(0))
        text = main(hers, "subject", "results")
        assert "<p data-print hidden>" in text
        assert reverse("download_copy") in text


class TestOtherEntries:
    def test_say_what_they_are(self, hers, connection):
        keep(connection, {"resourceType": "Appointment", "id": "ap", "status": "booked", "description": "Eye check"})
        text = main(hers, "subject", "other")
        assert "Nothing is left out." in text
        assert "Eye check" in text
        assert "Other entry (appointment)" in text
        assert "Other entry (appointment)" in main(hers, "entry", "other", Record.objects.get(logical_id="ap").pk)


class TestADoseGivenByStaff:
    @pytest.mark.parametrize("status", ["completed", "in-progress", "stopped"])
    def test_is_on_no_list_of_medicines(self, hers, connection, status):
        keep(connection, given(status))
        assert "Vancomycin" not in page(hers, "subject", "medicines")
        assert "Vancomycin" not in page(hers, "whole_record")
        text = main(hers, "subject", "other")
        assert "Vancomycin" in text
        assert "Other entry (medicines given)" in text

    def test_is_never_current(self):
        entry = any_resource.present(given("completed"), Context())
        assert entry.group != "current"


def given(status):
    return {
        "resourceType": "MedicationAdministration",
        "id": "g1",
        "status": status,
        "subject": {"reference": f"Patient/{PATIENT_ID}"},
        "medicationCodeableConcept": {"text": "Vancomycin 1 g"},
        "effectiveDateTime": "2021-05-06",
    }


class TestARow:
    def test_says_nothing_twice(self, hers, connection):
        visit = {
            "resourceType": "Encounter",
            "id": "e1",
            "status": "finished",
            "class": {"code": "AMB"},
            "type": [{"text": "Yearly check"}],
            "subject": {"reference": f"Patient/{PATIENT_ID}"},
            "period": {"start": "2024-01-05", "end": "2024-01-05"},
        }
        keep(connection, visit, {**visit, "id": "e2", "period": {"start": "2023-01-05", "end": "2023-01-05"}})
        text = main(hers, "subject", "visits")
        assert text.count("Yearly check") == 2
        assert "2 entries, newest first" in text


class TestAStatus:
    def test_says_whose_list_it_is_on_where_nothing_beside_it_does(self, hers, connection, other):
        keep(connection, order("m1"))
        keep(other, order("m2", name="Ibuprofen 200 MG Oral Tablet", code="310965"))
        text = re.sub(r"<[^>]+>", "", main(hers, "subject", "medicines"))
        for name in ("Harbor Family Practice", "Riverside Hospital"):
            assert re.search(rf"On the current list · Prescribed [^·]+ · {name}", text)
        text = main(hers, "entry", "medicines", Record.objects.get(logical_id="m2").pk)
        assert "On the current list of Riverside Hospital" in text


class TestAllergies:
    def test_that_could_be_serious_come_first(self, hers, connection):
        active = {"coding": [{"code": "active"}]}
        keep(
            connection,
            allergy("a1", clinicalStatus=active, code={"text": "Almonds"}, category=["food"]),
            allergy("a2", clinicalStatus=active, code={"text": "Bees"}),
            allergy("a3", clinicalStatus=active, code={"text": "Wasps"}, criticality="high"),
            allergy("a4", clinicalStatus=active, code={"text": "Zinc"}, category=["medication"]),
        )
        text = main(hers, "subject", "allergies")
        places = [text.index(name) for name in ("Wasps", "Zinc", "Almonds", "Bees")]
        assert places == sorted(places)

    def test_are_said_to_be_in_the_order_that_they_are_in(self, hers, connection):
        keep(
            connection, allergy("a1", code={"text": "Ants"}), allergy("a2", code={"text": "Wasps"}, criticality="high")
        )
        text = main(hers, "subject", "allergies")
        assert "2 entries, serious first" in text
        assert text.index("Wasps") < text.index("Ants")


class TestTheNextPage:
    def test_says_how_many_it_has(self, hers, connection):
        keep(connection, *(result(number) for number in range(101)))
        pages = [page(hers, "subject", "results", page=number) for number in (1, 2, 3)]
        assert 'rel="next" href="?page=2">Next 50</a>' in pages[0]
        assert 'rel="next" href="?page=3">The last one</a>' in pages[1]
        assert 'rel="next"' not in pages[2]


class TestThePagesOfAListOfThings:
    def test_say_that_a_thing_can_stand_on_two_of_them(self, hers, connection):
        keep(connection, *(order(f"m{number}", on=f"2024-01-{number % 28 + 1:02}") for number in range(52)))
        for number in ("1", "2"):
            assert AGAIN in page(hers, "subject", "medicines", page=number)

    def test_say_nothing_of_it_where_all_is_on_one(self, hers, connection):
        keep(connection, order("m1"), order("m2"))
        assert AGAIN not in page(hers, "subject", "medicines")

    def test_say_nothing_of_it_in_a_list_by_date(self, hers, connection):
        keep(connection, *(order(f"m{number}") for number in range(52)))
        assert AGAIN not in page(hers, "subject", "medicines", by="date")


def named(number, words, code):
    coding = [{"system": "http://loinc.org", "code": code}] if code else []
    return {**result(number), "code": {"coding": coding, "text": words}}


class TestTheYearsOfALongLife:
    def test_are_folded_but_for_the_newest(self, hers, connection):
        keep(connection, *({**result(number), "effectiveDateTime": f"{1990 + number}-05-03"} for number in range(20)))
        shown, folded = main(hers, "subject", "results").split("</nav>")[0].split("<summary")
        assert "Earlier years" in folded
        assert re.findall(r"year=(\d+)", shown) == [str(year) for year in range(2009, 2003, -1)]
        assert re.findall(r"year=(\d+)", folded) == [str(year) for year in range(2003, 1989, -1)]

    def test_are_all_at_hand_where_one_would_be_folded(self, hers, connection):
        keep(
            connection, *({**result(number), "effectiveDateTime": f"{2016 + number % 7}-05-03"} for number in range(20))
        )
        chosen = main(hers, "subject", "results").split("</nav>")[0]
        assert "Earlier years" not in chosen
        assert re.findall(r"year=(\d+)", chosen) == [str(year) for year in range(2022, 2015, -1)]


class TestTheLatestValueOfEachTest:
    SENT = (named(1, "Creatinine", "2160-0"), named(2, "Glucose", "2345-7"), named(3, "Iron", ""))

    @pytest.mark.parametrize(
        ("language", "names"),
        [
            ("en", ["Blood sugar", "Iron", "Kidney waste marker"]),
            ("es", ["Azúcar en sangre", "Indicador del riñón", "Iron"]),
        ],
    )
    def test_stands_under_the_name_that_a_reader_sees(self, hers, connection, language, names):
        hers.post(reverse("set_language"), {"language": language})
        keep(connection, *self.SENT)
        text = main(hers, "subject", "results", by="name")
        assert sorted(names, key=text.index) == names

    def test_stands_there_among_hundreds(self, hers, connection):
        many = [named(10 + number, f"Bun {number:03}", "") for number in range(220)]
        keep(connection, named(1, "Glucose", "2345-7"), *many)
        first = main(hers, "subject", "results", by="name")
        assert first.index("Blood sugar") < first.index("Bun 000") < first.index("Bun 048")
        assert "Bun 049" in main(hers, "subject", "results", by="name", page=2)

    def test_is_on_one_page_only(self, hers, connection):
        many = [named(10 + number, f"Test {number:02}", "") for number in range(60)]
        keep(connection, *self.SENT, *many)
        first, second = (main(hers, "subject", "results", by="name", page=number) for number in (1, 2))
        for sent in ("Blood sugar", "Iron", "Kidney waste marker", *(f"Test {number:02}" for number in range(60))):
            assert (sent in first) is not (sent in second)
        assert "Kidney waste marker" in first
        assert "Test 59" in second


class TestATestWhoseNewestHasNoResult:
    @pytest.mark.parametrize("status", ["registered", "cancelled"])
    def test_is_told_by_the_newest_that_has_one(self, hers, connection, status):
        waiting = {**result(0), "id": "waiting", "status": status}
        del waiting["valueQuantity"]
        keep(connection, waiting, result(5, value=5.5), result(9, value=9.9))
        text = main(hers, "subject", "results", by="name")
        assert "5.5 mmol/L" in text
        assert "No value given" not in text

    def test_is_told_by_that_one_where_it_never_had_any(self, hers, connection):
        waiting = {**result(0), "status": "registered"}
        del waiting["valueQuantity"]
        keep(connection, waiting)
        assert "Ordered, no result yet" in main(hers, "subject", "results", by="name")

    @pytest.mark.parametrize("status", ["registered", "cancelled"])
    def test_is_not_among_the_latest_results_of_the_whole_record(self, hers, connection, status):
        keep(connection, {**result(0, name="Potassium", code="2823-3"), "status": status}, result(5))
        text = main(hers, "whole_record")
        assert "Sodium" in text
        assert "Potassium" not in text
