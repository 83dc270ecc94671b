"""Words on pages of records: for codes of a Patient and dates; and the addresses of filtered lists. Unknown codes stay
as sent."""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

from django import template
from django.utils.translation import gettext, pgettext
from django.utils.translation import gettext_lazy as _

from apps.connections.models import Connection
from apps.records import counts, subjects
from apps.records.presenters.datatypes import dates
from apps.records.presenters.entry import Entry
from apps.records.presenters.persons import demographics, relationships
from apps.records.presenters.persons.demographics import Trait, TraitKind
from apps.records.presenters.persons.patient import SEX_WORDS
from apps.records.shelving.indexing import MOST_ROWS
from apps.records.subjects import Subject
from apps.records.viewing import explaining, queries
from apps.records.viewing.listing.entry_list import EntryList
from apps.records.viewing.listing.filters import Filters
from apps.records.viewing.opening import overview
from apps.records.viewing.wording import empty_lists

register = template.Library()

# In Spanish, "and" is "e" before the sound of i. Island and Idaho begin with another sound, in both languages.
_BEGINS_AS_I: Final = re.compile(r"[IÍ][bglmnpt]", re.IGNORECASE)
# ContactPoint.system and use; Address.use and HumanName.use: the same in DSTU2 and R4.
_SYSTEMS = {
    "phone": _("Phone"),
    "fax": _("Fax"),
    "email": _("E-mail"),
    "pager": _("Pager"),
    "url": _("Website"),
    "sms": _("Text message"),
}
_USES = {
    "home": _("home"),
    "work": _("work"),
    "temp": _("temporary"),
    "old": _("no longer used"),
    "mobile": _("mobile"),
    "billing": _("for bills"),
    "usual": _("usual name"),
    "official": _("official name"),
    "nickname": _("nickname"),
    "anonymous": _("anonymous"),
    "maiden": _("name before marriage"),
}
# Fields of PatientSummary that are named if they are absent.
_FIELDS = {
    "birth_date": _("date of birth"),
    "contacts": _("ways to reach the person"),
    "addresses": _("address"),
    "languages": _("language"),
    "general_practitioners": _("general practitioner"),
}


@register.filter
def sex_in_words(code: str) -> str:
    """`female` is female; another code is shown as sent."""
    return str(SEX_WORDS.get(code, code))


@register.filter
def relationships_in_words(sent: tuple[str, ...]) -> str:
    """What somebody is to the patient."""
    return ", ".join(dict.fromkeys(map(relationships.in_words, sent)))


@register.filter
def trait_label(trait: Trait) -> str:
    """The label of such a trait."""
    return str(demographics.LABELS.get(TraitKind(trait.kind), ""))


@register.filter
def trait_in_words(said: str) -> str:
    """The words for the value of a trait."""
    return str(demographics.WORDS.get(said, said))


@register.filter
def contact_in_words(system: str) -> str:
    """What kind of contact it is."""
    return str(_SYSTEMS.get(system, _("Contact")))


@register.filter
def use_in_words(code: str) -> str:
    """What a name, address or contact is for."""
    return str(_USES.get(code, code))


@register.filter
def until_in_words(sent: str) -> str:
    """A FHIR date as the end of something."""
    return dates.sent_until(sent)


@register.filter
def date_in_words(sent: str) -> str:
    """A date as the provider sent it."""
    return dates.sent_date(sent)


@register.filter
def not_given_in_words(fields: tuple[str, ...]) -> str:
    """The facts a provider did not give, as a list."""
    return ", ".join(str(_FIELDS[field]) for field in fields)


@register.simple_tag
def checked_when(moment: datetime, now: datetime) -> str:
    """A moment of ours after "checked"."""
    return dates.when(moment, now=now)


@register.filter
def is_out_of_date(connection: Connection, now: datetime) -> bool:
    """Whether what it brought may have changed since: if so, a page says that before it says when it was checked."""
    return overview.is_out_of_date(connection, at=now)


@register.simple_tag
def moment_in_words(moment: datetime) -> str:
    """A moment of ours with day and clock time: May 3, 2026, 9:40 a.m. UTC."""
    return f"{dates.day(moment)}, {dates.time_of_day(moment)}"


def subject_name(key: str) -> str:
    """What the subject of that key is called."""
    subject = subjects.find(key)
    return str(subject.name) if subject else ""


@register.filter
def explained(entry: Entry) -> str:
    """An explanation of the test or condition of an entry, in our words; empty if we have none."""
    return explaining.of(entry)


@register.filter
def what_it_holds(subject: Subject) -> str:
    """What the list of this subject is for."""
    return empty_lists.of(subject)


@register.filter
def named(listed: Iterable[Subject]) -> str:
    """The names of subjects, as a list."""
    return ", ".join(str(subject.name) for subject in listed)


@register.filter
def in_a_row(names: tuple[str, ...]) -> str:
    """Names as a list in a sentence: A and B; A, B and C."""
    *first, last = names
    if not first:
        return last
    before_i = pgettext("before the sound of i", "%(names)s and %(last)s")
    said = before_i if _BEGINS_AS_I.match(last) else gettext("%(names)s and %(last)s")
    return said % {"names": ", ".join(first), "last": last}


@register.simple_tag
def filtered(filters: Filters, **changes: Any) -> str:
    """The address of the same list with other filters."""
    changed = replace(filters, **changes)
    asked = {
        queries.PERSON: str(changed.person or ""),
        "year": changed.year,
        queries.SOURCE: str(changed.source or ""),
        "by": changed.arranged,
        "kind": changed.kind,
        "author": changed.author,
        "subject": changed.subject,
        "page": str(changed.page) if changed.page > 1 else "",
    }
    return f"?{urlencode({name: value for name, value in asked.items() if value})}"


@register.simple_tag
def page_of(filters: Filters, pages: int) -> str:
    """Which page of a list it is: Page 2 of 5."""
    said = {"page": counts.grouped(filters.page), "pages": counts.grouped(pages)}
    return gettext("Page %(page)s of %(pages)s") % said


@register.simple_tag
def next_rows(shown: EntryList) -> str:
    """How many rows the next page of a list has; on the last, those that remain."""
    rows = min(shown.count - shown.filters.page * MOST_ROWS, MOST_ROWS)
    return gettext("The last one") if rows == 1 else gettext("Next %(n)s") % {"n": counts.grouped(rows)}


@register.filter
def to_their_record(connection_id: UUID) -> str:
    """The end of an address that keeps a page of the record to the person to whom this connection belongs."""
    return queries.kept_by(connection_id)


@register.simple_tag
def same_page_of(connection_id: UUID | None, search: str = "") -> str:
    """The query of the page that is shown, for the record of that person, or of everybody. `search` is the number of
    the search that it shows."""
    return queries.kept_by(connection_id, search=search)


_SPANS = {"1-year": _("1 year"), "5-years": _("5 years"), "all": _("All")}


@register.filter
def span_in_words(span: str) -> str:
    """How far back a chart goes."""
    return str(_SPANS.get(span, ""))
