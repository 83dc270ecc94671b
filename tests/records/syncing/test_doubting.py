"""A provider validly says that there is nothing where there was much: that is doubted, pages say so, and it is believed
when the provider says it again."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import translation

from apps.records import gap_words, ledger
from apps.records.models import Record, SyncStep
from apps.records.syncing import watermarks
from apps.records.syncing.received_rows import doubting
from apps.wire import resource_types
from apps.wire.dialects import FhirVersion
from tests.records.linked import AT, give_tokens
from tests.records.people import PATIENT_ID, allergy, bundle
from tests.records.provider import ALLERGIES, METADATA, statement
from tests.records.runs import step, sync
from tests.wire.servers import http

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unhurried")]

WEEK = watermarks.FULL_PROOF_EVERY
DAY = timedelta(days=1)
NONE = http(body=bundle(total=0))
ALL = http(body=bundle(allergy("a1"), allergy("a2"), total=2))


def check(linked, *, at):
    give_tokens(linked, issued_at=at)
    return sync(linked, at=at)


def here():
    return set(
        Record.objects.filter(resource_type="AllergyIntolerance", removed_at=None).values_list("logical_id", flat=True)
    )


def line(linked, run):
    lines = ledger.lines(linked, run, provider="Harbor")
    return next(one for one in lines if str(one.subject).startswith("Allergies"))


class TestAnEmptyAnswer:
    @pytest.mark.parametrize("empty", [NONE, http(body=bundle()), http(body={**bundle(), "entry": None})])
    def test_takes_nothing_away_is_told_and_is_asked_for_again_the_next_day(self, linked, provider, empty):
        check(linked, at=AT)
        provider.answers[ALLERGIES] = empty
        run = check(linked, at=AT + WEEK)
        assert (run.outcome, step(run).gap, here()) == ("partial", SyncStep.Gap.UNSEEN, {"a1", "a2"})
        told = line(linked, run)
        assert (told.word, told.entries) == ("Not sent this time", 2)
        assert told.sentence == (
            "Harbor sent none of these in our last check, on November 27, 2026. It may be a mistake, so we keep what "
            "we have and look again. 2 entries are here."
        )
        linked.refresh_from_db()
        assert linked.last_checked_at == pytest.approx(AT, abs=timedelta(minutes=1))

    def test_that_was_a_mistake_is_forgotten(self, linked, provider):
        check(linked, at=AT)
        provider.answers[ALLERGIES] = NONE
        check(linked, at=AT + WEEK)
        provider.answers[ALLERGIES] = ALL
        run = check(linked, at=AT + WEEK + DAY)
        assert (run.outcome, here(), step(run).rows_changed) == ("complete", {"a1", "a2"}, 0)
        assert not Record.objects.exclude(unseen_at=None).exists()
        provider.answers[ALLERGIES] = NONE
        run = check(linked, at=AT + 2 * WEEK + DAY)
        assert (step(run).gap, here()) == (SyncStep.Gap.UNSEEN, {"a1", "a2"})

    def test_is_believed_when_it_comes_again_two_days_later_and_not_before(self, linked, provider):
        check(linked, at=AT)
        provider.answers[ALLERGIES] = NONE
        check(linked, at=AT + WEEK)
        assert step(check(linked, at=AT + WEEK + DAY)).gap == SyncStep.Gap.UNSEEN
        assert here() == {"a1", "a2"}
        run = check(linked, at=AT + WEEK + 2 * DAY)
        assert (run.outcome, here(), step(run).rows_removed) == ("complete", set(), 2)
        assert line(linked, run).word == "Nothing sent"

    def test_is_asked_for_everything_until_it_is_settled_where_a_server_tells_changes(self, linked, provider):
        offered = statement("Patient", "AllergyIntolerance")
        offered["rest"][0]["resource"][1]["searchParam"] = [{"name": "patient"}, {"name": "_lastUpdated"}]
        provider.answers[METADATA] = http(body=offered)
        check(linked, at=AT)
        check(linked, at=AT + WEEK - DAY)  # asks for changes: not answered, so for everything
        provider.answers[ALLERGIES] = NONE
        check(linked, at=AT + WEEK)
        provider.server.requests.clear()
        run = check(linked, at=AT + WEEK + DAY)
        assert [asked for asked in provider.asked if "Allergy" in asked] == [ALLERGIES]
        assert step(run).gap == SyncStep.Gap.UNSEEN

    def test_of_a_type_that_had_nothing_is_no_doubt(self, linked, provider):
        provider.answers[ALLERGIES] = NONE
        check(linked, at=AT)
        assert check(linked, at=AT + WEEK).outcome == "complete"

    def test_is_told_on_the_page_of_an_entry_and_on_its_list(self, client, alice, linked, provider):
        check(linked, at=AT - WEEK)
        provider.answers[ALLERGIES] = NONE
        check(linked, at=AT)
        client.force_login(alice)
        url = reverse("entry", args=["allergies", Record.objects.get(logical_id="a1").pk])
        entry = client.get(url).content.decode()
        assert "Not seen at Harbor Family Practice in our check on November 20, 2026" in entry
        listed = client.get(reverse("subject", args=["allergies"])).content.decode()
        assert "sent none of these in our last check" in listed
        assert "Pteridine" in listed

    def test_is_told_to_no_stranger(self, client, sam, linked, provider):
        check(linked, at=AT - WEEK)
        provider.answers[ALLERGIES] = NONE
        check(linked, at=AT)
        client.force_login(sam)
        url = reverse("entry", args=["allergies", Record.objects.get(logical_id="a1").pk])
        assert client.get(url).status_code == 404
        listed = client.get(reverse("subject", args=["allergies"])).content.decode()
        assert "Harbor" not in listed


class TestHardlyAnyOfMany:
    @pytest.mark.parametrize(
        ("came", "missing", "is_doubtful"),
        [(0, 1, True), (0, 0, False), (1, 1, False), (1, 18, False), (1, 19, True), (2, 18, False), (5, 95, True)],
    )
    def test_is_as_doubtful_as_none(self, came, missing, is_doubtful):
        assert doubting.is_doubtful(came=came, missing=missing) is is_doubtful

    def test_keeps_all_and_says_so(self, linked, provider):
        rows = [allergy(f"a{number}") for number in range(40)]
        provider.answers[ALLERGIES] = http(body=bundle(*rows, total=40))
        check(linked, at=AT)
        provider.answers[ALLERGIES] = http(body=bundle(*rows[:2], total=2))
        run = check(linked, at=AT + WEEK)
        assert (step(run).gap, len(here())) == (SyncStep.Gap.UNSEEN, 40)
        assert line(linked, run).sentence.startswith("Harbor sent only some of these in our last check")
        run = check(linked, at=AT + WEEK + 2 * DAY)
        assert (run.outcome, here()) == ("complete", {"a0", "a1"})

    def test_stays_in_doubt_where_some_more_come_the_next_day(self, linked, provider):
        rows = [allergy(f"a{number}") for number in range(40)]
        for days, came in ((0, 40), (7, 2), (8, 20)):
            provider.answers[ALLERGIES] = http(body=bundle(*rows[:came], total=came))
            run = check(linked, at=AT + days * DAY)
        assert (step(run).gap, len(here())) == (SyncStep.Gap.UNSEEN, 40)
        assert line(linked, run).sentence.startswith("Harbor sent only some of these in our last check")
        run = check(linked, at=AT + 9 * DAY)
        assert (run.outcome, len(here())) == ("complete", 20)

    def test_is_settled_though_ids_are_new_at_each_check(self, linked, provider):
        for day, came in ((0, 40), (7, 0), (8, 40), (9, 40)):
            rows = [allergy(f"a{number}-{day}") for number in range(came)]
            provider.answers[ALLERGIES] = http(body=bundle(*rows, total=came))
            run = check(linked, at=AT + day * DAY)
        assert (run.outcome, len(here())) == ("complete", 40)

    def test_is_no_doubt_where_all_came_under_new_ids(self, linked, provider):
        rows = [allergy(f"a{number}") for number in range(40)]
        provider.answers[ALLERGIES] = http(body=bundle(*rows, total=40))
        check(linked, at=AT)
        rows = [allergy(f"new-{number}") for number in range(40)]
        provider.answers[ALLERGIES] = http(body=bundle(*rows, total=40))
        run = check(linked, at=AT + WEEK)
        assert (run.outcome, here()) == ("complete", {f"new-{number}" for number in range(40)})


class TestMuchOfMany:
    @pytest.mark.parametrize(
        ("came", "missing", "known", "is_doubtful"),
        [
            (200, 100, 200, True),
            (200, 19, 200, False),
            (200, 21, 200, False),
            (250, 100, 200, False),
            (20, 100, 0, False),
        ],
    )
    def test_is_as_doubtful_unless_something_new_came_in_its_stead(self, came, missing, known, is_doubtful):
        assert doubting.is_doubtful(came=came, missing=missing, known=known) is is_doubtful

    def test_that_one_category_of_several_lacks_is_kept_and_told(self, linked, provider):
        """Its search is answered, and empty; those of the others are as they were."""
        provider.answers[METADATA] = http(body=statement("Patient", "Observation"))
        sweep = f"GET /fhir/r4/Observation?patient={PATIENT_ID}&category="
        for (pair,) in resource_types.RESOURCE_TYPES[FhirVersion.R4]["Observation"].narrow_searches:
            provider.answers[sweep + pair[1]] = NONE
        for name, count in (("laboratory", 30), ("vital-signs", 60)):
            rows = [{"resourceType": "Observation", "id": f"{name}-{number}"} for number in range(count)]
            provider.answers[sweep + name] = http(body=bundle(*rows, total=count))
        check(linked, at=AT)
        provider.answers[sweep + "laboratory"] = NONE
        for at in (AT + WEEK, AT + WEEK + DAY):
            run = check(linked, at=at)
            assert (run.outcome, step(run, "Observation").gap) == ("partial", SyncStep.Gap.UNSEEN)
            assert Record.objects.filter(resource_type="Observation", removed_at=None).count() == 90
        told = next(one for one in ledger.lines(linked, run, provider="Harbor") if str(one.subject) == "Results")
        assert told.word == "Not all sent this time"
        run = check(linked, at=AT + WEEK + 2 * DAY)
        assert (run.outcome, step(run, "Observation").rows_removed) == ("complete", 30)

    def test_that_a_search_lacks_which_ends_early_as_if_that_were_all_is_kept(self, linked, provider):
        rows = [allergy(f"a{number}") for number in range(60)]
        provider.answers[ALLERGIES] = http(body=bundle(*rows))
        check(linked, at=AT)
        provider.answers[ALLERGIES] = http(body=bundle(*rows[:25]))
        assert step(check(linked, at=AT + WEEK)).gap == SyncStep.Gap.UNSEEN
        provider.answers[ALLERGIES] = http(body=bundle(*rows))
        assert (check(linked, at=AT + WEEK + DAY).outcome, len(here())) == ("complete", 60)


class TestItsSentences:
    @pytest.mark.parametrize("language", ["en", "es"])
    def test_stand_in_both_languages(self, language):
        told = SyncStep(resource_type="Goal", status="gap", gap="unseen", finished_at=AT)
        with translation.override(language):
            sentence = gap_words.of(told, provider="Harbor").sentence
        assert ("ninguna" in sentence) is (language == "es")
