"""A page to read without sensitive entries: neither they nor any number reveals that there were some."""

from datetime import date

import pytest
from django.template.loader import render_to_string

from apps.records.exporting import choosing, shelved, summaries
from apps.records.exporting.portions import WHOLE, Portion
from apps.records.exporting.shelved import Unreadable
from apps.records.models import Shelf
from apps.records.subjects import ALLERGIES, CONDITIONS, LISTED, MEDICINES, RESULTS, VACCINES
from tests.records.linked import AT, make_connection, make_endpoint
from tests.records.people import allergy
from tests.records.shelved import keep, order, result

pytestmark = pytest.mark.django_db

ICD_10 = "http://hl7.org/fhir/sid/icd-10-cm"
PLAIN = Portion(WHOLE.subjects, tells_sensitive=False)
CANARIES = ("epression", "Alcohol", "HIV antibody", "Marigold", "Curettage")
versions = pytest.mark.parametrize("connection", ["r4", "dstu2"], indirect=True)
shelves = pytest.mark.parametrize("has_shelves", [True, False])


@pytest.fixture
def connection(request, alice):
    version = getattr(request, "param", "r4")
    return make_connection(alice, make_endpoint(f"https://fhir.example/{version}", version=version))


def condition(logical_id, name, on=None, *, code="", version="r4"):
    written = {"r4": "recordedDate", "dstu2": "dateRecorded"}[version]
    active = {"r4": {"coding": [{"code": "active"}]}, "dstu2": "active"}[version]
    coding = {"coding": [{"system": ICD_10, "code": code}]} if code else {}
    dated = {written: on} if on else {}
    named = {"resourceType": "Condition", "id": logical_id, "code": {"text": name, **coding}, "clinicalStatus": active}
    return {**named, **dated}


def procedure(logical_id, name, on=None):
    dated = {"performedDateTime": on} if on else {}
    return {"resourceType": "Procedure", "id": logical_id, "status": "completed", "code": {"text": name}, **dated}


def hiv(number, on=None):
    """A result, with no date unless there is one."""
    sent = result(number, name="HIV antibody", code="29893-5")
    del sent["effectiveDateTime"]
    return sent | ({"effectiveDateTime": on} if on else {})


def fill(connection, *more):
    version = connection.endpoint.fhir_version
    keep(
        connection,
        condition("c1", "Asthma", "2019-03-04", version=version),
        condition("c2", "Zoster", version=version),  # without a date
        condition("c3", "Depression", "2020-01-02", version=version),
        condition("c4", "Alcohol abuse", version=version),
        condition("c5", "Marigold", "2020-01-02", code="F20.9", version=version),
        condition("c6", "Migraine", "2021-01-02", version=version),
        result(0, name="HIV antibody", code="29893-5"),
        result(1),
        procedure("p1", "Curettage of uterus: dilation and curettage", "2024-12-31"),
        procedure("p2", "Stitches", "2024-12-30"),
        allergy("a1"),
        order("m1"),
        *more,
    )


def told(user, portion):
    """What the page has, by subject."""
    summary = summaries.summary(choosing.choices(user, at=AT), at=AT, portion=portion)
    return summary, {each.name: [row.title for group in each.groups for row in group.rows] for each in summary.lists}


def drawn(summary):
    return render_to_string("records/exporting/summary.html", {"summary": summary, "now": AT})


class TestAPageWithoutWhatIsSensitive:
    @versions
    @shelves
    def test_has_all_else_in_its_order_and_counts_nothing_more(self, alice, connection, has_shelves):
        fill(connection)
        if not has_shelves:
            Shelf.objects.all().delete()
        summary, lists = told(alice, PLAIN)
        assert lists["Health conditions"] == ["Asthma", "Migraine", "Zoster"]
        assert lists["Results"] == ["Sodium, a blood salt"]
        assert lists["Procedures and surgeries"] == ["Stitches"]
        counts = {each.name: (each.count, each.shown) for each in summary.lists}
        assert counts["Health conditions"] == (3, 3)
        assert counts["Results"] == counts["Procedures and surgeries"] == (1, 1)
        assert summary.undated == 0
        html = drawn(summary)
        assert not [canary for canary in CANARIES if canary in html]
        assert "Pteridine" in html
        assert "Lisinopril" in html

    @versions
    @shelves
    def test_is_what_a_record_without_it_would_give(self, alice, sam, connection, has_shelves):
        fill(connection)
        other = make_connection(
            sam, make_endpoint("https://other.example/r4", version=connection.endpoint.fhir_version)
        )
        keep(
            other,
            condition("c1", "Asthma", "2019-03-04", version=other.endpoint.fhir_version),
            condition("c2", "Zoster", version=other.endpoint.fhir_version),
            condition("c6", "Migraine", "2021-01-02", version=other.endpoint.fhir_version),
            result(1),
            procedure("p2", "Stitches", "2024-12-30"),
            allergy("a1"),
            order("m1"),
        )
        if not has_shelves:
            Shelf.objects.all().delete()
        for since in (None, date(2020, 1, 1)):
            portion = Portion(WHOLE.subjects, since, tells_sensitive=False)
            summary, lists = told(alice, portion)
            as_if, none = told(sam, portion)
            assert lists == none
            assert [(each.name, each.count) for each in summary.lists] == [
                (each.name, each.count) for each in as_if.lists
            ]
            assert summary.undated == as_if.undated

    @versions
    @shelves
    def test_counts_of_what_has_no_date_only_what_it_would_tell(self, alice, connection, has_shelves):
        undated = result(9)
        del undated["effectiveDateTime"]
        fill(connection, hiv(8), undated)
        if not has_shelves:
            Shelf.objects.all().delete()
        summary, lists = told(alice, Portion(WHOLE.subjects, date(2024, 12, 31), tells_sensitive=False))
        assert lists["Results"] == []
        assert lists["Health conditions"] == ["Asthma", "Migraine", "Zoster"]
        assert summary.undated == 1
        summary, _lists = told(alice, Portion(WHOLE.subjects, date(2024, 12, 31)))
        assert summary.undated == 2

    @shelves
    def test_of_a_long_list_counts_what_it_would_tell_alone(self, alice, connection, has_shelves):
        keep(
            connection,
            *(result(number) for number in range(210)),
            *(result(number, name="HIV load", code="20447-9") for number in range(300, 320)),
        )
        if not has_shelves:
            Shelf.objects.all().delete()
        summary, lists = told(alice, Portion(frozenset({RESULTS.key}), tells_sensitive=False))
        (results,) = summary.lists
        assert (results.count, results.shown) == (210, 200)
        assert not any("HIV" in title for title in lists["Results"])

    def test_says_of_a_list_that_is_empty_for_it_what_it_says_of_any_other(self, alice, sam, connection):
        keep(connection, condition("c3", "Depression"))
        keep(make_connection(sam, make_endpoint("https://other.example/r4")))
        portion = Portion(frozenset({CONDITIONS.key}), tells_sensitive=False)
        (mine,), (none,) = (told(user, portion)[0].lists for user in (alice, sam))
        assert mine == none

    def test_tells_it_to_whom_everything_is_told(self, alice, connection):
        fill(connection)
        html = drawn(told(alice, WHOLE)[0])
        assert all(canary in html for canary in CANARIES)

    @shelves
    def test_of_several_providers_has_it_of_none(self, alice, connection, has_shelves):
        fill(connection)
        other = make_connection(alice, make_endpoint("https://other.example/dstu2", version="dstu2"))
        keep(other, condition("c9", "Depression", version="dstu2"), condition("c8", "Gout", version="dstu2"))
        if not has_shelves:
            Shelf.objects.filter(connection_id=other.pk).delete()
        _summary, lists = told(alice, PLAIN)
        assert lists["Health conditions"] == ["Asthma", "Gout", "Migraine", "Zoster"]

    def test_reads_the_record_where_a_shelf_breaks_off(self, alice, connection, monkeypatch):
        """And takes nothing of that shelf twice."""
        fill(connection)

        def breaking(shelf, ring):
            yield from list(entries(shelf, ring))[:1]
            raise Unreadable

        entries = shelved.entries
        monkeypatch.setattr(shelved, "entries", breaking)
        summary, lists = told(alice, PLAIN)
        assert lists["Health conditions"] == ["Asthma", "Migraine", "Zoster"]
        assert summary.lists[2].count == 3


class TestWhatIsLeftOut:
    @versions
    @shelves
    def test_is_named_to_its_owner_as_rows_name_it(self, alice, connection, has_shelves):
        fill(connection)
        if not has_shelves:
            Shelf.objects.all().delete()
        found = summaries.with_untold(choosing.choices(alice, at=AT), at=AT, portion=PLAIN)[1]
        named = {each.name: sorted(row.title for group in each.groups for row in group.rows) for each in found}
        assert named == {
            "Health conditions": ["Alcohol abuse", "Depression", "Marigold"],
            "Results": ["HIV antibody"],
            "Procedures and surgeries": ["Curettage of uterus: dilation and curettage"],
        }
        assert {each.name: each.count for each in found}["Health conditions"] == 3

    def test_is_of_the_chosen_subjects_and_of_the_time(self, alice, connection):
        fill(connection, hiv(7, "2019-01-01"), hiv(8))
        choices = choosing.choices(alice, at=AT)
        of_time = Portion(WHOLE.subjects - {CONDITIONS.key}, date(2024, 12, 1), tells_sensitive=False)
        found = summaries.with_untold(choices, at=AT, portion=of_time)[1]
        assert {each.name: each.count for each in found} == {"Results": 1, "Procedures and surgeries": 1}

    def test_is_nothing_where_all_is_told_or_only_what_never_is(self, alice, connection):
        fill(connection)
        choices = choosing.choices(alice, at=AT)
        never = frozenset({MEDICINES.key, ALLERGIES.key, VACCINES.key})
        for portion in (WHOLE, Portion(never, tells_sensitive=False)):
            assert summaries.with_untold(choices, at=AT, portion=portion)[1] == ()

    def test_and_what_is_told_are_all_there_is(self, alice, connection):
        fill(connection)
        choices = choosing.choices(alice, at=AT)
        whole, part = (summaries.summary(choices, at=AT, portion=each).lists for each in (WHOLE, PLAIN))
        left = {each.name: each.count for each in summaries.with_untold(choices, at=AT, portion=PLAIN)[1]}
        assert {each.name: each.count for each in whole} == {
            each.name: each.count + left.get(each.name, 0) for each in part
        }


class TestAPortion:
    def test_without_it_is_not_whole_and_limits_no_time(self):
        assert not PLAIN.is_whole
        assert not any(map(PLAIN.limits, LISTED))
        assert {subject.key for subject in LISTED if not PLAIN.sifts(subject)} == {
            "medicines", "allergies", "vaccines", "insurance"
        }  # fmt: skip
        assert not any(map(WHOLE.sifts, LISTED))

    def test_says_what_it_is_of_as_before(self, alice, connection):
        keep(connection, result(1))
        summary, _lists = told(alice, Portion(frozenset({RESULTS.key}), date(2024, 1, 1), tells_sensitive=False))
        assert (summary.only, summary.left_out, summary.late) == ("Results", "", "Results")
