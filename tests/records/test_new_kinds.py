"""Whoever adds a type, a kind of entry or a subject has to mention it in other places: each test names what was
forgotten. Otherwise things would be missing unnoticed, and a share would show what it should leave out."""

import sys
from collections.abc import Mapping
from typing import Any, Final, get_type_hints

import pytest
from msgspec.structs import fields

from apps.records import parts
from apps.records.presenters.entry import NOT_GIVEN, Entry
from apps.records.presenters.generic import statuses
from apps.records.presenters.sensitivity.sensitive import is_sensitive
from apps.records.presenting import KINDS
from apps.records.subjects import LISTED, SUBJECTS
from apps.records.viewing.facts import labels
from apps.records.viewing.wording import words
from apps.wire.resource_types import RESOURCE_TYPES

# Nothing of these is missed where they are: files, formalities, and the questions beside answers.
UNNAMED: Final = {"Binary", "Endpoint", "Questionnaire"}

# Fields without a label of their own: what leads to other entries, stands in a part of the page that is made for it, or
# only decides how something else is told.
UNTOLD: Final[Mapping[str, set[str]]] = {
    "AllergyEntry": {"absence"},
    "ConditionEntry": {"category"},
    "DeviceEntry": {"udi_groups"},
    "DocumentEntry": {"category_codes", "files"},
    "FamilyEntry": {"relative"},
    "MedicationEntry": {"ends_at", "kind", "more_dosages", "orders"},
    "QuestionnaireEntry": {"has_own_title", "is_cut", "lines"},
    "ReportEntry": {"forms", "images", "inside", "may_be_grave", "results"},
    "ResultEntry": {"category", "members", "place", "place_by", "place_words", "ranges", "test"},
    "VisitEntry": {"class_said"},
}
# Statuses that go without saying, since things of their kind usually stand so.
SILENT: Final[Mapping[str, set[str]]] = {
    "DocumentEntry": {"final"},
    "FamilyEntry": {"complete"},
    "QuestionnaireEntry": {"done"},
    "ResultEntry": {"final"},
    "SpecimenEntry": {"available"},
    "VisitEntry": {"finished"},
}
WITHOUT_STATUS: Final = {"RecommendationEntry"}
# What a row says in words that name no illness.
NAMING_NOTHING: Final = {"severity", "safety", "life"}

FELT_TO_BE_SENSITIVE: Final = "Miscarriage"
each_kind: Final = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def own(kind: type[Entry]) -> list[str]:
    shared = {field.name for field in fields(Entry)}
    return [field.name for field in fields(kind) if field.name not in shared]


def said_in_words(kind: type[Entry], names: Any) -> dict[str, Any]:
    """Those of these fields that hold words of a provider's, each with such words."""
    hints, told = get_type_hints(kind), {str: FELT_TO_BE_SENSITIVE, tuple[str, ...]: (FELT_TO_BE_SENSITIVE,)}
    return {name: told[hints[name]] for name in names if hints[name] in told}


class TestAResourceType:
    def test_has_a_name_for_where_it_is_missing(self):
        """In `parts.py`: else a page says that "other entries" are."""
        wanted = {name for types in RESOURCE_TYPES.values() for name in types}
        wanted |= {name for subject in SUBJECTS for name in subject.resource_types}
        assert {name for name in wanted if parts.name(name) == parts.name("Nobody's")} == UNNAMED


class TestASubject:
    @pytest.mark.parametrize("subject", LISTED, ids=lambda subject: subject.key)
    def test_has_a_heading_for_each_of_its_groups(self, subject):
        """In `wording/words.py`."""
        assert [group for group in subject.groups if not words.of_group(subject.key, group)] == []


class TestAKindOfEntry:
    @each_kind
    def test_has_a_label_for_each_field_that_its_page_tells(self, kind):
        """In `facts/labels.py`: what has none is not on the page. One that shall not be stands in `UNTOLD` here."""
        unlabelled = {name for name in own(kind) if not labels.of_field(kind.__name__, name)}
        assert unlabelled == UNTOLD.get(kind.__name__, set())

    @each_kind
    def test_has_words_for_each_of_its_statuses(self, kind):
        """In `wording/words.py`: what has none is not told. One that goes without saying stands in `SILENT` here."""
        if kind.__name__ in WITHOUT_STATUS:
            return
        known: Any = getattr(sys.modules[kind.__module__], "Status", statuses.Status)
        untold = {status.value for status in known if status.value and not words.of_status(kind(status=status))}
        assert untold - {NOT_GIVEN} == SILENT.get(kind.__name__, set())

    @each_kind
    def test_lets_a_share_leave_out_what_its_row_says(self, kind):
        """By `presenters/sensitivity/sensitive.py`, which knows fields by their names."""
        if not is_sensitive(kind(title=FELT_TO_BE_SENSITIVE)):  # a medicine, say, which a share never leaves out
            return
        name = kind.__name__
        told = {*labels.in_rows(name), *labels.first_in_rows(name), *labels.behind_in_rows(name)} - NAMING_NOTHING
        shown = [name for name, said in said_in_words(kind, told).items() if not is_sensitive(kind(**{name: said}))]
        assert shown == []
