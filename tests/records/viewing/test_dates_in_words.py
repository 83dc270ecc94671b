"""Dates in words, with clock times."""

import json
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone, translation

from apps.records import presenting
from apps.records.presenters.datatypes import dates
from apps.records.presenters.datatypes.dates import Calendar
from apps.records.presenters.datatypes.moments import When
from apps.records.presenters.entry import Context
from apps.records.viewing.wording import dates_in_words
from tests.records.people import PATIENT_ID


def said(starts: str, ends: str) -> str:
    return dates_in_words.in_full(When(starts=starts, ends=ends)).replace("\N{NO-BREAK SPACE}", " ")


class TestOneSideOfAPeriod:
    @pytest.mark.parametrize(
        ("when", "spanish"),
        [
            (When(starts="2019-03-04", is_open=True), "Desde el 4 de marzo de 2019"),
            (When(starts="2019-03", is_open=True), "Desde marzo de 2019"),
            (When(ends="2019-03-04"), "Hasta el 4 de marzo de 2019"),
            (When(ends="2019"), "Hasta 2019"),
        ],
    )
    def test_has_the_article_of_a_day_alone(self, when, spanish):
        with translation.override("es"):
            assert dates_in_words.in_words(when) == spanish


class TestAnAge:
    @pytest.mark.parametrize(
        ("age", "english", "spanish"),
        [
            (1.0, "At age 1", "A la edad de 1 año"),
            (1.5, "At age 1.5", "A los 1.5 años"),
            (42.0, "At age 42", "A los 42 años"),
        ],
    )
    def test_of_one_year_is_no_age_of_years(self, age, english, spanish):
        assert dates_in_words.in_words(When(age_from=age)) == english
        with translation.override("es"):
            assert dates_in_words.in_words(When(age_from=age)) == spanish


class TestAMomentOfToday:
    @pytest.mark.parametrize(
        ("hour", "spanish"), [(0, "a las 12:05"), (1, "a la 1:05"), (13, "a la 1:05"), (14, "a las 2:05")]
    )
    def test_has_the_article_of_its_hour(self, hour, spanish):
        moment = datetime(2026, 3, 4, hour, 5, tzinfo=UTC)
        with translation.override("es"):
            assert dates.when(moment, now=moment).startswith(f"hoy {spanish}")


class TestHowLongAgo:
    AT = datetime(2026, 3, 4, 12, tzinfo=UTC)

    @pytest.mark.parametrize(
        ("when", "ago"),
        [
            (When(starts="2025-03-04"), "1 year ago"),
            (When(starts="2025-03-05"), ""),
            (When(starts="2019"), "6 years ago"),  # perhaps on its last day
            (When(starts="2019-02"), "7 years ago"),
            (When(starts="2019-02-01", ends="2026-01-01"), ""),
            (When(starts="2019-02-01", is_open=True), ""),
            (When(starts="2030-02-01"), ""),
            (When(text="long ago"), ""),
        ],
    )
    def test_is_told_in_whole_years_that_have_passed_for_certain(self, when, ago):
        assert dates_in_words.how_long_ago(when, at=self.AT) == ago


class TestAPeriod:
    def test_of_one_day_says_the_day_once(self):
        assert said("2026-08-18T08:30:00-07:00", "2026-08-18T09:00:00-07:00") == "August 18, 2026, 8:30 a.m. to 9 a.m."

    @pytest.mark.parametrize(
        ("starts", "ends", "english", "spanish"),
        [
            ("2022-06-07", "2022-06-09", "June 7 to 9, 2022", "del 7 al 9 de junio de 2022"),
            ("2022-06-07", "2022-07-02", "June 7 to July 2, 2022", "del 7 de junio al 2 de julio de 2022"),
            (
                "2021-12-30",
                "2022-01-02",
                "December 30, 2021 to January 2, 2022",
                "del 30 de diciembre de 2021 al 2 de enero de 2022",
            ),
            ("2022-03", "2022-05", "March to May 2022", "de marzo a mayo de 2022"),
            ("2021-11", "2022-05", "November 2021 to May 2022", "de noviembre de 2021 a mayo de 2022"),
            ("2019", "2021", "2019 to 2021", "de 2019 a 2021"),
            ("2019-03", "2019-05-04", "March 2019 to May 4, 2019", "de marzo de 2019 al 4 de mayo de 2019"),
            (
                "2022-06-09",
                "2022-06-07",
                "June 9, 2022 to June 7, 2022",
                "del 9 de junio de 2022 al 7 de junio de 2022",
            ),
            ("2022-06-07T23:30:00-07:00", "2022-06-09", "June 7 to 9, 2022", "del 7 al 9 de junio de 2022"),
        ],
    )
    def test_says_once_what_both_its_ends_have(self, starts, ends, english, spanish):
        when = When(starts=starts, ends=ends)
        assert dates_in_words.in_words(when) == english
        with translation.override("es"):
            assert dates_in_words.in_words(when) == spanish

    @pytest.mark.parametrize(
        ("starts", "ends", "words"),
        [
            (
                "2026-08-18T23:30:00-07:00",
                "2026-08-19T01:00:00-07:00",
                "August 18, 2026, 11:30 p.m. to August 19, 2026, 1 a.m.",
            ),
            ("2026-08-18", "2026-08-18T09:00:00-07:00", "August 18, 2026 to August 18, 2026, 9 a.m."),
            ("2026-08-18T09:00:00-07:00", "2026-08-18T09:00:30-07:00", "August 18, 2026, 9 a.m."),
            ("2026-08-18T09:00:00-07:00", "", "August 18, 2026, 9 a.m."),
            ("2026-08-18", "2026-08-18", "August 18, 2026"),
            ("2026-08-18T00:00:00-07:00", "2026-08-18T06:15:00-07:00", "August 18, 2026, midnight to 6:15 a.m."),
            ("2026-08-18T00:00:00-07:00", "2026-08-20T00:00:00-07:00", "August 18 to 20, 2026"),
        ],
    )
    def test_of_another_kind_says_both_its_ends_or_its_one(self, starts, ends, words):
        assert said(starts, ends) == words


class TestMidnight:
    @pytest.mark.parametrize("offset", ["Z", "-07:00", "+02:00"])
    def test_is_a_date_wherever_it_was(self, offset):
        assert said(f"2026-08-18T00:00:00{offset}", "") == "August 18, 2026"

    def test_is_none_a_minute_later(self):
        assert said("2026-08-18T00:01:00-07:00", "") == "August 18, 2026, 12:01 a.m."


class TestACalendar:
    MOMENT = "2026-08-18T02:30:00Z"

    def test_asks_once_for_language_and_zone(self):
        calendar = Calendar()
        with translation.override("es"), timezone.override(ZoneInfo("America/New_York")):
            assert calendar.sent_moment(self.MOMENT).startswith("17 de agosto de 2026, 10:30")
        assert calendar.sent_date(self.MOMENT) == "17 de agosto de 2026"

    @pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
    @pytest.mark.parametrize("language", ["en", "es"])
    def test_of_many_tells_each_as_one_of_its_own_would(self, language, zone):
        sent = (
            "", "2019", "2019-03", "2019-03-04", "2019-03-04T00:00:00Z", "2019-03-04T04:00:00Z", "2019-03-04T08:05:59Z",
            "2019-03-04T00:00:30-07:00", "2019-03-04T23:30:00-07:00", "2019-03-04T08:05:00", "9999-12-31T23:59:59Z",
            "last spring",
        )  # fmt: skip
        with translation.override(language), timezone.override(ZoneInfo(zone)):
            calendar = Calendar()
            assert [calendar.sent_date(one) for one in sent] == [dates.sent_date(one) for one in sent]
            assert [calendar.sent_moment(one) for one in sent] == [dates.sent_moment(one) for one in sent]
            assert [calendar.sent_clock(one) for one in sent] == [dates.sent_clock(one) for one in sent]
            for each, alone in ((calendar.sent_date, dates.sent_date), (calendar.sent_moment, dates.sent_moment)):
                told = [dates.sent_period(sent[3], one, each) for one in sent]
                assert told == [dates.sent_period(sent[3], one, alone) for one in sent]

    def test_tells_from_when_to_when_without_another_look_at_either(self, monkeypatch):
        asked: list[str] = []

        def look(_calendar: Calendar, sent: str) -> str:
            asked.append(sent)
            return sent

        monkeypatch.setattr(Calendar, "sent_date", look)
        assert dates.sent_period(self.MOMENT, "2026-08-19T02:30:00Z", Calendar().sent_date) == "August 18 to 19, 2026"
        assert not asked


def label(resource_type: str, **sent: Any) -> str:
    resource = {"resourceType": resource_type, "id": "x1", "subject": {"reference": f"Patient/{PATIENT_ID}"}, **sent}
    body = json.dumps(resource).encode()
    _resource, entry = presenting.present(body, resource_type=resource_type, logical_id="x1", context=Context())
    assert entry.when.starts
    return dates_in_words.label(entry)


def observed(category: str, **sent: Any) -> str:
    of_kind = [{"coding": [{"code": category}]}]
    return label("Observation", **{"status": "final", "category": of_kind, "effectiveDateTime": "2024-03-09", **sent})


class TestTheDateOfWhatDidNotHappen:
    @pytest.mark.parametrize(
        ("status", "said"), [("completed", "Given"), ("not-done", "Recorded"), ("odd", "Recorded"), ("", "Recorded")]
    )
    def test_of_a_vaccine_does_not_say_that_it_was_given(self, status, said):
        assert label("Immunization", status=status, occurrenceDateTime="2024-03-09") == said

    def test_of_a_refused_vaccine_of_the_older_version_does_not_either(self):
        assert label("Immunization", status="completed", wasNotGiven=True, date="2024-03-09") == "Recorded"

    @pytest.mark.parametrize(
        ("status", "said"),
        [("completed", "Done"), ("not-done", "Recorded"), ("stopped", "Started"), ("in-progress", "Started")],
    )
    def test_of_a_procedure_does_not_say_that_it_was_done(self, status, said):
        assert label("Procedure", status=status, performedDateTime="2024-03-09") == said

    @pytest.mark.parametrize(
        ("status", "said"), [("active", "Taken"), ("not-taken", "Recorded"), ("intended", "Planned for")]
    )
    def test_of_a_medicine_does_not_say_that_it_was_taken(self, status, said):
        assert label("MedicationStatement", status=status, effectiveDateTime="2024-03-09") == said

    def test_of_a_document_does_not_say_that_it_was_seen(self):
        visit = {"period": {"start": "2024-03-09", "end": "2024-03-10"}}
        assert label("DocumentReference", status="current", context=visit) == "Visit"

    @pytest.mark.parametrize(("is_reported", "said"), [(False, "Prescribed"), (True, "Written down")])
    def test_of_a_reported_medicine_does_not_say_that_it_was_prescribed(self, is_reported, said):
        sent = {"status": "active", "intent": "order", "authoredOn": "2024-03-09"}
        assert label("MedicationRequest", **sent, reportedBoolean=is_reported) == said

    @pytest.mark.parametrize(("status", "said"), [("completed", "Filled"), ("declined", "Recorded")])
    def test_of_a_fill_does_not_say_that_it_was_filled(self, status, said):
        assert label("MedicationDispense", status=status, whenHandedOver="2024-03-09") == said

    @pytest.mark.parametrize(("status", "said"), [("finished", "Seen"), ("cancelled", "Planned for")])
    def test_of_a_visit_does_not_say_that_anybody_was_seen(self, status, said):
        assert label("Encounter", status=status, period={"start": "2024-03-09", "end": "2024-03-09"}) == said

    def test_of_a_test_does_not_say_that_a_sample_was_collected(self):
        assert observed("laboratory", status="cancelled") == "Recorded"


class TestTheDateOfAResult:
    @pytest.mark.parametrize(
        ("category", "said"),
        [
            ("laboratory", "Collected"),
            ("vital-signs", "Measured"),
            ("social-history", "Recorded"),
            ("survey", "Recorded"),
            ("imaging", "Done"),
            ("unheard-of", "Collected"),
        ],
    )
    def test_speaks_of_a_sample_only_where_there_may_be_one(self, category, said):
        assert observed(category) == said

    def test_is_of_a_measurement_where_the_code_alone_says_so(self):
        weight = {"coding": [{"system": "http://loinc.org", "code": "29463-7"}]}
        assert observed("unheard-of", code=weight) == "Measured"

    def test_is_when_a_scan_was_done(self):
        scan = {"status": "final", "effectiveDateTime": "2024-03-09"}
        imaging = [{"coding": [{"system": "http://terminology.hl7.org/CodeSystem/v2-0074", "code": "RAD"}]}]
        assert label("DiagnosticReport", **scan, category=imaging) == "Done"
        assert label("DiagnosticReport", **scan) == "Collected"
