"""A report with its results in their order, and the calm page before one that may be grave news."""

import re

import pytest
from django.urls import reverse

from apps.records.models import Record
from tests.records.linked import AT
from tests.records.pages import main_of
from tests.records.people import PATIENT_ID
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db

MASKED = {"meta": {"security": [{"code": "masked"}]}}


def address(logical_id, name="entry"):
    return reverse(name, args=["results", Record.objects.get(logical_id=logical_id).pk])


def report(*ids, title="Basic panel", **elements):
    return {
        "resourceType": "DiagnosticReport",
        "id": "r1",
        "status": "final",
        "code": {"text": title},
        "subject": {"reference": f"Patient/{PATIENT_ID}"},
        "effectiveDateTime": "2024-12-31",
        "result": [{"reference": f"Observation/{logical_id}"} for logical_id in ids],
        **elements,
    }


def panel_of(ids, *, version="R4"):
    """A result that has members and nothing else, as either version writes it."""
    members = [{"reference": f"Observation/{logical_id}"} for logical_id in ids]
    older = [{"type": "has-member", "target": member} for member in members]
    panel = {**result(0, name="Peptides"), "id": "p1"} | (
        {"hasMember": members} if version == "R4" else {"related": older}
    )
    panel.pop("valueQuantity")
    return panel


def marked(number, code, name):
    return {**result(number, name=name, code=f"x-{number}"), "interpretation": [{"coding": [{"code": code}]}]}


def of_category(code):
    return {"coding": [{"code": code}]}


def assert_asks_first(browser, there):
    text = main_of(browser.get(there))
    assert "This report may contain sensitive news." in text
    assert "Sorrowful" not in text
    assert "Earlier versions" not in text


class TestAReportThatRefersToAnotherServer:
    def test_shows_no_result_of_ours_in_place_of_theirs(self, client, alice, sam, connection):
        theirs = {"reference": "https://elsewhere.example/r4/Observation/o1"}
        keep(connection, result(1, value=77.7), report(result=[theirs]))
        client.force_login(alice)
        assert "77.7" not in main_of(client.get(address("r1")))
        client.force_login(sam)
        assert client.get(address("r1")).status_code == 404

    def test_shows_one_that_stands_at_its_own_root(self, client, alice, connection):
        own = f"{connection.endpoint.fhir_base_url}/Observation/o1"
        keep(connection, result(1, value=77.7), report(result=[{"reference": own}]))
        client.force_login(alice)
        assert "77.7" in main_of(client.get(address("r1")))


class TestAReport:
    def test_shows_its_results_as_ordered_with_those_outside_first(self, hers, connection):
        keep(
            connection,
            marked(0, "N", "Sodium"),
            marked(1, "N", "Chloride"),
            marked(2, "H", "Potassium"),
            result(3, name="Of another panel"),
            report("o1", "o0", "o2", "gone"),
        )
        text = main_of(hers.get(address("r1")))
        places = [text.index(name) for name in ("1 of 3 outside the usual range", "Potassium", "Chloride", "Sodium")]
        assert places == sorted(places)
        assert "1 result belongs to this report and is not here." in text
        assert "Of another panel" not in text
        assert address("o2") in text

    def test_says_of_a_result_that_the_provider_has_it_no_more(self, hers, connection):
        keep(connection, marked(0, "N", "Sodium"), marked(1, "H", "Potassium"), report("o0", "o1"))
        Record.objects.filter(logical_id="o1").update(removed_at=AT)
        text = main_of(hers.get(address("r1")))
        assert text.count(f"No longer at {connection.provider.name}. We noticed on") == 1
        assert text.index("Sodium") < text.index("Potassium") < text.index("No longer at")
        assert "1 compared with the usual range, and in it" in text  # of what is there

    def test_that_is_gone_itself_says_so_once_for_all_of_it(self, hers, connection):
        keep(connection, marked(0, "H", "Potassium"), report("o0"))
        Record.objects.update(removed_at=AT)
        text = main_of(hers.get(address("r1")))
        assert text.count("No longer at") == 1
        assert "1 of 1 outside the usual range" in text

    def test_says_plainly_that_all_of_it_is_in_the_usual_range(self, hers, connection):
        keep(connection, *(marked(number, "N", f"Salt {number}") for number in range(2)), report("o0", "o1"))
        assert "All 2 in the usual range" in main_of(hers.get(address("r1")))

    @pytest.mark.parametrize(
        ("sent", "said"),
        [
            ({}, "Its result is in the usual range"),
            ({"result": [{"reference": "Observation/o0"}, {"reference": "Observation/gone"}]}, "1 compared with the"),
        ],
    )
    def test_says_it_of_one_alone_and_not_of_what_is_not_here(self, hers, connection, sent, said):
        keep(connection, marked(0, "N", "Sodium"), {**report("o0"), **sent})
        assert said in main_of(hers.get(address("r1")))

    def test_says_how_many_were_compared_where_not_all_were(self, hers, connection):
        unmarked = result(2, name="Color", code="x-2")
        keep(connection, marked(0, "N", "Sodium"), marked(1, "N", "Chloride"), unmarked, report("o0", "o1", "o2"))
        text = main_of(hers.get(address("r1")))
        assert "2 compared with the usual range, all in it" in text
        assert "outside" not in text

    def test_compares_with_no_range_what_says_nothing_about_one(self, hers, connection):
        keep(connection, marked(0, "NEG", "Culture"), marked(1, "R", "Penicillin"), report("o0", "o1"))
        assert "the usual range" not in main_of(hers.get(address("r1")))

    def test_says_how_many_results_it_has_no_room_for(self, hers, connection):
        sent = [{**result(0, name=f"Peptide {number}"), "id": f"o{number}"} for number in range(203)]
        keep(connection, *sent, report(*(f"o{number}" for number in range(203))))
        text = main_of(hers.get(address("r1")))
        assert len(re.findall(r"Peptide \d+", text)) == 200
        assert "3 more results belong to this report. This page has no room for them" in text
        assert "not here" not in text

    def test_that_it_has_no_room_for_counts_as_outside_only_what_it_shows(self, hers, connection):
        sent = [{**marked(0, "H", f"Peptide {number}"), "id": f"o{number}"} for number in range(201)]
        keep(connection, *sent, report(*(f"o{number}" for number in range(201))))
        text = main_of(hers.get(address("r1")))
        assert "Of those shown here, 200 of 200 outside the usual range" in text
        assert "Look in your lists of results and vitals." in text

    def test_says_it_of_the_panels_within_it_too(self, hers, connection):
        sent = [{**result(0, name=f"Peptide {number}"), "id": f"o{number}"} for number in range(201)]
        members = [{"reference": f"Observation/o{number}"} for number in range(201)]
        inner = {**result(0, name="Peptides"), "id": "inner", "hasMember": members[:199]}
        inner.pop("valueQuantity")
        keep(connection, *sent, inner, report("inner", "o199", "o200"))
        text = main_of(hers.get(address("r1")))
        assert len(re.findall(r"Peptide \d+", text)) == 199
        assert "2 more results belong to this report." in text
        assert "not here" not in text

    @pytest.mark.parametrize("version", ["R4", "DSTU2"])
    def test_says_it_of_a_panel_within_it_that_names_more_than_its_entry_keeps(self, hers, connection, version):
        keep(connection, result(0), panel_of([f"gone{number}" for number in range(230)], version=version), report("p1"))
        text = main_of(hers.get(address("r1")))
        assert "31 more results belong to this report." in text
        assert "199 results belong to this report and are not here." in text

    def test_counts_no_members_of_a_result_that_stands_for_itself(self, hers, connection):
        valued = {**panel_of([f"gone{number}" for number in range(230)]), "valueString": "All within range"}
        keep(connection, valued, report("p1"))
        text = main_of(hers.get(address("r1")))
        assert "All within range" in text
        assert not re.search(r"belongs? to this report", text)

    def test_counts_each_result_it_has_no_room_for_once(self, hers, connection):
        sent = [{**result(0, name=f"Peptide {number}"), "id": f"o{number}"} for number in range(200)]
        several = [{**panel_of([*(f"o{number}" for number in range(200)), "o0"]), "id": name} for name in ("p1", "p2")]
        keep(connection, *sent, *several, report("p1", "p2", "o199"))
        text = main_of(hers.get(address("r1")))
        assert len(re.findall(r"Peptide \d+", text)) == 198
        assert "2 more results belong to this report." in text
        assert "not here" not in text

    def test_counts_a_result_once_that_is_written_in_two_ways(self, hers, connection):
        own = connection.endpoint.fhir_base_url
        names = [f"o{number}" for number in range(150)]
        twice = [{"reference": f"{root}Observation/{name}"} for name in names for root in ("", f"{own}/")]
        keep(connection, *({**result(0), "id": name} for name in names), {**panel_of(()), "hasMember": twice})
        assert "more result" not in main_of(hers.get(address("p1")))

    def test_does_not_say_of_what_it_did_not_look_for_that_it_is_not_here(self, hers, connection):
        deep = [{**panel_of([f"p{number + 1}"]), "id": f"p{number}"} for number in range(1, 4)]
        keep(connection, result(0), *deep, {**panel_of(["o0"]), "id": "p4"}, report("p1"))
        text = main_of(hers.get(address("r1")))
        assert "1 more result belongs to this report." in text
        assert "not here" not in text

    def test_shows_the_members_of_a_panel_that_it_contains(self, hers, connection):
        inside = {**panel_of(["o0"]), "id": "in"}
        keep(connection, result(0), {**report(contained=[inside]), "result": [{"reference": "#in"}]})
        text = main_of(hers.get(address("r1")))
        assert "Sodium" in text
        assert "not here" not in text

    @pytest.mark.parametrize(("sent", "said"), [(230, "230 results"), (1500, "1,000 results or more")])
    def test_says_in_lists_how_many_results_it_has(self, hers, connection, sent, said):
        keep(connection, report(*(f"o{number}" for number in range(sent))))
        for there in (reverse("subject", args=["results"]), reverse("everything_by_date")):
            assert re.findall(r"[\d,]+ results[^<]*", main_of(hers.get(there))) == [said]

    def test_counts_those_that_nothing_names_on_its_page_too(self, hers, connection):
        sent = [{**result(0, name=f"Peptide {number}"), "id": f"o{number}"} for number in range(200)]
        keep(connection, *sent, report(*(f"o{number}" for number in range(1500))))
        assert "1,300 more results belong to this report." in main_of(hers.get(address("r1")))

    def test_looks_for_others_where_some_are_not_here(self, hers, connection):
        keep(connection, result(0), report(*(f"gone{number}" for number in range(200)), "o0"))
        text = main_of(hers.get(address("r1")))
        assert "Sodium" in text
        assert "200 results belong to this report and are not here." in text
        assert "no room" not in text

    def test_shows_what_it_contains(self, hers, connection):
        inside = {**result(0, name="Magnesium"), "id": "in"}
        keep(connection, {**report(contained=[inside]), "result": [{"reference": "#in"}]})
        text = main_of(hers.get(address("r1")))
        assert text.count("Magnesium") == 1
        assert "5.1 mmol/L" in text

    def test_says_where_to_look_for_more_that_it_contains(self, hers, connection):
        inside = [{**result(0, name=f"Peptide {number}"), "id": f"in{number}"} for number in range(53)]
        links = [{"reference": f"#in{number}"} for number in range(54)]
        keep(connection, {**report(contained=inside), "result": links})
        text = main_of(hers.get(address("r1")))
        assert len(re.findall(r"Peptide \d+", text)) == 50
        assert "This report has 3 more results inside it. See “What the provider sent”." in text
        assert "1 result belongs to this report and is not here." in text
        assert "Peptide 52" in main_of(hers.get(address("r1", "entry_as_sent")))

    def test_shows_what_it_contains_and_names_nowhere(self, hers, connection):
        inside = [{**result(0, name=f"Peptide {number}"), "id": f"in{number}"} for number in range(52)]
        keep(connection, {**report(contained=inside), "result": []})
        text = main_of(hers.get(address("r1")))
        assert len(re.findall(r"Peptide \d+", text)) == 50
        assert "This report has 2 more results inside it." in text

    def test_takes_nothing_that_a_panel_contains_for_what_it_contains_itself(self, hers, connection):
        inside = [{**result(0, name="Magnesium"), "id": "in"}]
        other = [{**result(0, name="Zinc"), "id": "in"}]
        panel = {**panel_of(()), "hasMember": [{"reference": "#in"}], "contained": other}
        links = [{"reference": "#in"}, {"reference": "Observation/p1"}]
        keep(connection, panel, {**report(contained=inside), "result": links})
        text = main_of(hers.get(address("r1")))
        assert text.count("Magnesium") == 1
        assert "1 more result belongs to this report. This page has no room for it" in text
        assert "This report has 1 more result inside it." in main_of(hers.get(address("p1")))

    def test_has_the_members_of_a_result_without_a_value(self, hers, connection):
        panel = {**result(5, name="Panel"), "hasMember": [{"reference": "Observation/o0"}]}
        del panel["valueQuantity"]
        keep(connection, result(0), panel)
        assert "Sodium" in main_of(hers.get(address("o5")))

    def test_takes_at_most_twelve_queries(self, hers, connection, django_assert_max_num_queries):
        keep(connection, *(result(number) for number in range(40)), report(*(f"o{number}" for number in range(40))))
        hers.get(address("r1"))
        there = address("r1")
        with django_assert_max_num_queries(12):
            hers.get(there)

    def test_of_another_person_is_not_found(self, client, sam, connection):
        keep(connection, report())
        client.force_login(sam)
        assert client.get(address("r1")).status_code == 404
        assert client.post(address("r1")).status_code == 404


class TestWhatAReportSaysBesideItself:
    SAID = "You may be seeing this before your care team has."

    def test_is_that_a_care_team_may_not_have_seen_it_however_few_results_it_has(self, hers, sam, connection):
        keep(connection, report(title="Chest film", conclusion="Clear"))
        there = address("r1")
        assert main_of(hers.get(there)).count(self.SAID) == 1
        hers.force_login(sam)
        assert hers.get(there).status_code == 404

    def test_is_that_once_where_it_has_results(self, hers, connection):
        keep(connection, result(0), report("o0"))
        assert main_of(hers.get(address("r1"))).count(self.SAID) == 1

    @pytest.mark.parametrize("elements", [{"status": "entered-in-error"}, MASKED])
    def test_is_nothing_where_its_details_are_not_told(self, hers, connection, elements):
        keep(connection, report(**elements))
        assert self.SAID not in main_of(hers.get(address("r1")))


class TestAReportThatMayBeGrave:
    @pytest.fixture
    def grave(self, connection):
        keep(connection, report("o0", title="Surgical pathology", conclusion="Sorrowful words"), result(0))
        return address("r1")

    def test_asks_first(self, hers, grave):
        text = main_of(hers.get(grave))
        assert "This report may contain sensitive news. You can read it now, or with someone." in text
        for said in ("Sorrowful", "Surgical", "Sodium"):
            assert said not in text
        assert reverse("subject", args=["results"]) in text

    def test_opens_when_asked_to_and_asks_no_second_time(self, hers, grave):
        answered = hers.post(grave)
        assert (answered.status_code, answered["Location"]) == (302, grave)
        assert "Sorrowful words" in main_of(hers.get(grave))
        assert "Sorrowful words" in main_of(hers.get(grave))

    @pytest.mark.parametrize("name", ["whole_record", "everything_by_date"])
    def test_says_nothing_of_it_in_a_list(self, hers, grave, name):
        assert "Sorrowful" not in main_of(hers.get(reverse(name)))
        assert "Sorrowful" not in main_of(hers.get(reverse("subject", args=["results"])))

    def test_is_not_any_report(self, hers, connection):
        keep(connection, report(conclusion="All is well"))
        assert "All is well" in main_of(hers.get(address("r1")))

    def test_asks_first_where_its_grave_category_is_not_the_first(self, hers, sam, connection):
        keep(connection, report(category=[of_category("LAB"), of_category("SP")], conclusion="Sorrowful words"))
        for page in (address("r1"), reverse("subject", args=["results"]), reverse("everything_by_date")):
            assert "Sorrowful" not in main_of(hers.get(page))
        assert "This report may contain sensitive news." in main_of(hers.get(address("r1")))
        hers.force_login(sam)
        assert hers.get(address("r1")).status_code == 404

    def test_asks_first_before_it_is_shown_as_sent_too(self, hers, grave):
        sent = address("r1", "entry_as_sent")
        answered = hers.get(sent)
        assert (answered.status_code, answered["Location"]) == (302, grave)
        hers.post(grave)
        assert "Sorrowful words" in main_of(hers.get(sent))

    def test_of_another_kind_is_shown_as_sent_at_once(self, hers, connection):
        keep(connection, report(conclusion="All is well"))
        assert "All is well" in main_of(hers.get(address("r1", "entry_as_sent")))

    def test_that_is_withheld_later_asks_before_its_earlier_versions_too(self, hers, sam, connection, grave):
        keep(connection, report(title="", **MASKED))
        assert_asks_first(hers, grave)
        hers.post(grave)
        assert "Sorrowful words" in main_of(hers.get(grave))
        hers.force_login(sam)
        assert hers.get(grave).status_code == 404

    def test_that_changed_its_name_later_asks_before_its_earlier_versions_too(self, hers, connection, grave):
        keep(connection, report(title="Addendum", conclusion="All is well"))
        assert_asks_first(hers, grave)

    def test_that_was_withdrawn_later_asks_before_any_of_it_is_shown(self, hers, connection, grave):
        keep(connection, report(title="Addendum", status="entered-in-error", conclusion="Sorrowful words"))
        assert_asks_first(hers, grave)
        assert hers.get(address("r1", "entry_as_sent")).status_code == 302
        hers.post(grave)
        assert "marked this as recorded by mistake" in main_of(hers.get(grave))

    @pytest.mark.parametrize("elements", [{"status": "entered-in-error"}, MASKED])
    def test_whose_details_are_not_told_asks_before_it_is_shown_as_sent(self, hers, connection, elements):
        keep(connection, report(title="Surgical pathology", conclusion="Sorrowful words", **elements))
        assert_asks_first(hers, address("r1"))
        assert hers.get(address("r1", "entry_as_sent")).status_code == 302
