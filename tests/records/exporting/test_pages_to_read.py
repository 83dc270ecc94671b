"""The page to read, print or save as PDF: its content, its order, and what it says is left out."""

import re
from dataclasses import replace
from datetime import date, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.connections.models import Connection
from apps.records import shelving
from apps.records.exporting.summaries import Summary
from apps.records.models import Record, Shelf
from config import env
from tests.records.exporting.keeping import keep, spoil
from tests.records.exporting.taking import take, text
from tests.records.linked import AT, make_connection, make_endpoint
from tests.records.people import R4_PATIENT, allergy

pytestmark = pytest.mark.django_db

STYLESHEET = (env.ROOT / "static" / "holdfast.css").read_text()

CONTACT = {
    "name": {"given": ["Ida"], "family": "<Canary>"},
    "relationship": [{"coding": [{"code": "C", "display": "Emergency contact"}]}],
    "telecom": [{"system": "phone", "use": "mobile", "value": "555-0199"}],
    "period": {"end": "2019-03"},
}


@pytest.fixture
def in_a_row(connection):
    """One test on 218 days, and a few that were done once or twice."""
    days = [(date(2024, 12, 31) - timedelta(days=number)).isoformat() for number in range(218)]
    keep(
        connection,
        *(measured(f"s{number}", "Sodium", day, 140) for number, day in enumerate(days)),
        measured("r1", "Rarely done", "1999-05-03", 6.5),
        measured("r2", "Rarely done", "2001-05-03", 7.5),
        measured("r3", "Seldom done", "2023-05-03", 3),
        {**measured("r4", "Ordered only", "2001-01-01", 1), "status": "registered"},
    )
    shelving.rebuild_all(connection, at=AT)


def measured(logical_id, name, on, value):
    return {
        "resourceType": "Observation",
        "id": logical_id,
        "status": "final",
        "category": [{"coding": [{"code": "laboratory"}]}],
        "code": {"text": name, "coding": [{"system": "urn:lab", "code": name}]},
        "effectiveDateTime": on,
        "valueQuantity": {"value": value, "unit": "mg/L"},
    }


def listed(said):
    """The rows of a summary's results."""
    return re.findall(r'row-title">([^<]+)<', said.partition("<h2>Results")[2])


class TestASummary:
    def test_leaves_out_and_counts_what_was_withdrawn_or_is_gone(self, hers, connection):
        keep(
            connection,
            allergy(
                "a2", code={"text": "Withdrawn canary"}, verificationStatus={"coding": [{"code": "entered-in-error"}]}
            ),
            allergy("a3", code={"text": "Gone canary"}),
        )
        Record.objects.filter(logical_id="a3").update(removed_at=AT)
        said = text(take(hers, connection, what="summary"))
        assert "canary" not in said
        assert "1 entry was withdrawn by Harbor Family Practice." in said
        assert "1 entry is no longer at Harbor Family Practice, and not listed here." in said

    @pytest.mark.parametrize("is_shelved", [False, True])
    def test_says_all_of_what_a_doctor_looks_for_first(self, hers, connection, is_shelved):
        """Nobody can open an entry on paper."""
        over = {
            "resourceType": "Condition",
            "id": "c1",
            "code": {"text": "Fracture"},
            "abatementDateTime": "2020-02-03",
        }
        ended = {"onsetDateTime": "2020-01-01", "abatementDateTime": "2020-03-04"}
        since = {**over, "id": "c2", "code": {"text": "Sprain"}, **ended}
        stopped = {
            "resourceType": "MedicationRequest", "id": "m1", "status": "stopped", "intent": "order",
            "medicationCodeableConcept": {"text": "Amoxicillin"}, "statusReason": {"text": "Hives on day two"},
        }  # fmt: skip
        keep(connection, allergy("a2", note=[{"text": "Avoid all penicillins."}]), over, since, stopped)
        if is_shelved:
            shelving.rebuild_all(connection, at=AT)
        said = text(take(hers, connection, what="summary"))
        why = "Why it was stopped: Hives on day two"
        sought = ("Avoid all penicillins.", why, "February 3, 2020", "Ended: March 4, 2020")
        assert [said.count(each) for each in sought] == [1] * 4

    def test_says_of_which_provider_it_is_not_up_to_date(self, hers, connection):
        connection.last_checked_at = timezone.now()
        connection.save()
        assert "Not up to date." not in text(take(hers, connection, what="summary"))
        connection.status = Connection.Status.DISCONNECTED
        connection.save()
        assert "Not up to date. From Harbor Family Practice" in re.sub(
            r"\s*<[^>]+>\s*", " ", text(take(hers, connection, what="summary"))
        )

    def test_begins_no_line_with_a_dot(self, hers, connection):
        withheld = {"resourceType": "Procedure", "id": "p1", "status": "completed"}
        keep(connection, measured("o1", "Sodium", "2024-05-03", 140), withheld)
        said = re.sub("<[^>]+>", "", take(hers, connection, what="summary").content.decode())
        assert "May 3, 2024\u00a0·" in said
        assert re.findall(r"(?:^|[ \n])·", said) == []

    def test_begins_no_line_with_a_dot_that_its_style_adds(self):
        added = re.findall(r'content: "([^"]*·[^"]*)"', STYLESHEET)
        assert added
        assert [dot for dot in added if not dot.startswith(r"\a0·")] == []

    def test_says_how_current_it_is_and_what_is_missing(self, hers, connection):
        said = text(take(hers, connection, what="summary"))
        assert "From Harbor Family Practice · We cannot tell how current this is." in said
        missing = said.partition("<h2>What is missing</h2>")[2].partition("<section>")[0]
        assert "<h3>Harbor Family Practice</h3>" in missing
        assert missing.count("Not fetched yet.") == 1  # for all subjects of which the same is to be said
        assert "Results, Medicines, Allergies and reactions" in missing
        assert "Nothing is missing" not in missing

    def test_says_whose_entries_do_not_open_and_where_they_may_belong(self, hers, connection):
        keep(connection, allergy("a2", code={"text": "Canary"}))
        spoil(connection, "AllergyIntolerance", "a2")
        said = text(take(hers, connection, what="summary"))
        assert (
            "Entries from Harbor Family Practice could not be opened, and are not listed here. They may belong to: "
            "Allergies and reactions. This is ours to fix; nothing is lost."
        ) in said

    def test_is_not_whole_where_something_does_not_open(self):
        summary = Summary("", "", choices=(), lists=(), withdrawn=(), gone=(), unopened=())
        assert summary.is_whole
        assert not replace(summary, unopened=(("Harbor Family Practice", "Results"),)).is_whole

    def test_begins_with_allergies_medicines_and_conditions(self, hers, connection):
        names = ("MedicationStatement", "Condition", "Immunization", "Encounter", "Observation")
        keep(connection, *({"resourceType": name, "id": "n1", "code": {"text": "Canary"}} for name in names))
        said = text(take(hers, connection, what="summary"))
        found = re.findall(r"<h2>([^<(]+) \(", said)
        assert found[:4] == ["Allergies and reactions", "Medicines", "Health conditions", "Results"]

    def test_tells_a_medicine_once_with_a_line_for_each_of_its_orders(self, hers, connection):
        orders = [
            {
                "resourceType": "MedicationRequest",
                "id": f"m{year}",
                "status": "completed",
                "intent": "order",
                "medicationCodeableConcept": {"text": "Lisinopril 10 mg"},
                "authoredOn": f"{year}-09-16",
            }
            for year in (2023, 2024, 2025)
        ]
        keep(connection, *orders)
        said = text(take(hers, connection, what="summary"))
        assert said.count("Lisinopril 10 mg") == 1
        assert re.search("2025.*2024.*2023", re.sub(r"\s+", " ", said.split("Lisinopril 10 mg")[1]))
        assert "Medicines (3)" in said

    def test_tells_what_else_a_medicine_was_called_under_its_name(self, hers, connection):
        rxnorm = {"system": "http://www.nlm.nih.gov/research/umls/rxnorm", "code": "314076"}
        keep(
            connection,
            *(
                {
                    "resourceType": "MedicationRequest",
                    "id": f"m{year}",
                    "status": "completed",
                    "intent": "order",
                    "medicationCodeableConcept": {"text": name, "coding": [rxnorm]},
                    "authoredOn": f"{year}-09-16",
                }
                for year, name in ((2024, "Zestril 10 mg"), (2025, "Lisinopril 10 mg"))
            ),
        )
        said = text(take(hers, connection, what="summary"))
        beneath = said.split("Lisinopril 10 mg")[1].partition("</ul>")[0]
        assert "(Zestril 10 mg)" in beneath

    def test_says_that_no_medicine_is_listed_and_what_that_means(self, hers, connection):
        said = text(take(hers, connection, what="summary"))
        nothing = "<p>Nothing is listed. This does not mean there is none.</p>"
        assert f"<h2>Medicines (0)</h2> {nothing}" in said
        assert f"<h2>Health conditions (0)</h2> {nothing}" in said
        assert said.count(nothing) == 2

    def test_shows_no_markup_a_provider_sent(self, hers, connection):
        keep(connection, allergy("a2", code={"text": "<script>alert(1)</script>"}))
        said = text(take(hers, connection, what="summary"))
        assert "<script>alert" not in said
        assert "&lt;script&gt;alert(1)" in said

    def test_of_a_long_list_says_that_it_is_not_all(self, hers, connection):
        keep(connection, *(allergy(f"n{number}", code={"text": f"Thing {number:04}"}) for number in range(210)))
        said = text(take(hers, connection, what="summary"))
        assert "Here are the first 200 of 211." in said
        assert said.count("Thing 0") < 211

    def test_of_a_long_list_has_the_newest_value_of_every_test_however_old(self, hers, connection, in_a_row):
        said = text(take(hers, connection, what="summary"))
        assert "Here are 200 of 222: the newest value of each test, then the newest of all others." in said
        assert said.index("The newest value of each test") < said.index("Rarely done") < said.index("Others, newest")
        assert said.count("Rarely done") == 1  # of two the newer
        assert "7.5 mg/L" in said
        assert "6.5 mg/L" not in said
        assert "Ordered only" in said

    def test_of_a_long_list_has_what_came_by_two_providers_once(self, hers, alice, connection, in_a_row):
        other = make_connection(alice, make_endpoint("https://riverside.example/r4"))
        keep(other, R4_PATIENT, measured("s0", "Sodium", "2024-12-31", 140))
        shelving.rebuild_all(other, at=AT)
        said = text(take(hers, connection, other, what="summary"))
        assert len(re.findall("Collected: December 31, 2024", said)) == 1

    def test_of_a_long_list_has_the_newest_value_of_every_test_where_its_shelf_is_not_built(
        self, hers, connection, in_a_row
    ):
        built = text(take(hers, connection, what="summary"))
        Shelf.objects.all().delete()
        assert listed(text(take(hers, connection, what="summary"))) == listed(built)

    def test_of_a_part_of_late_has_the_newest_value_of_every_test_in_it(self, hers, connection, in_a_row):
        chosen = {"sources": [str(connection.pk)], "format": "summary", "subjects": ["results"], "span": "5-years"}
        said = text(hers.post(reverse("download_copy"), chosen))
        assert "Rarely done" not in said
        assert "Seldom done" in said

    def test_names_contact_persons_and_how_to_reach_them(self, hers, connection):
        keep(connection, {**R4_PATIENT, "contact": [CONTACT, CONTACT]})
        shelving.rebuild_all(connection, at=AT)
        said = text(take(hers, connection, what="summary"))
        told = said.partition("<h2>Contact persons</h2>")[2].partition("</dl>")[0]
        assert told.count("Ida &lt;Canary&gt;") == 1
        assert "Emergency contact" in told
        assert "555-0199" in told
        assert "Until March 2019" in told
        chosen = {"sources": [str(connection.pk)], "format": "summary", "subjects": ["results"], "span": "all"}
        assert "555-0199" not in text(hers.post(reverse("download_copy"), chosen))

    def test_says_that_contact_persons_may_be_missing_where_they_do_not_open(self, hers, connection):
        shelving.rebuild_all(connection, at=AT)
        Shelf.objects.filter(subject="patient").update(sealed_index=b"\x03" + bytes(80))
        said = text(take(hers, connection, what="summary"))
        assert "could not be opened, and are not listed here. They may belong to: Personal details." in said

    def test_says_what_is_not_printed_in_place_of_sensitive_news(self, hers, connection):
        told = {"resourceType": "Observation", "id": "o1", "status": "final", "code": {"text": "Histology of a biopsy"}}
        report = {"resourceType": "DiagnosticReport", "id": "r1", "code": told["code"], "conclusion": "Sorrowful words"}
        keep(connection, {**told, "valueString": "Sorrowful words"}, report)
        shelving.rebuild_all(connection, at=AT)
        said = text(take(hers, connection, what="summary"))
        assert said.count("Not printed, as it may be sensitive news: it is in your record") == 2
        assert "Sorrowful" not in said
        assert "Open it" not in said
