"""The pages of somebody's whole record: what matters, the list of each subject, everything by date, and what is new."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from apps.accounts.current_user import current_user
from apps.records import subjects
from apps.records.subjects import ALLERGIES, LISTED, MEDICINES, Subject
from apps.records.viewing import queries, what_is_new, what_matters
from apps.records.viewing.listing import absences, lists, narrowing
from apps.records.viewing.listing.entry_list import EntryList
from apps.records.viewing.listing.filters import BY_DATE, BY_NAME, DRAFTS, GONE, Filters
from apps.records.viewing.opening import whole
from apps.records.viewing.opening.whole import Owner, Whole
from apps.records.views.trying import tried


@require_safe
@login_required
@cache_control(no_store=True, private=True)
def show_whole_record(request: HttpRequest) -> HttpResponse:
    """Show what matters now, the lists and the providers."""
    now = timezone.now()
    with whole.opened(current_user(request), LISTED, session=request.session, at=now) as everything:
        record, owner = everything.of_one(queries.person(request.GET))
        context = {
            **_of_record(everything, record, owner, now),
            "sources": tuple(record.sources_of(LISTED).values()),
            "matters": tried(record, what_matters.of_each),
        }
        return render(request, "records/whole.html", context)


@require_safe
@login_required
@cache_control(no_store=True, private=True)
def show_subject(request: HttpRequest, subject_key: str) -> HttpResponse:
    """Show the list of one subject."""
    subject = subjects.find(subject_key)
    if subject is None:
        raise Http404
    now = timezone.now()
    wanted = [subject, ALLERGIES] if subject is MEDICINES else [subject]
    with whole.opened(current_user(request), wanted, session=request.session, at=now) as everything:
        record, owner = everything.of_one(queries.person(request.GET))
        filters = _filters(request.GET, record, owner)
        part, theirs = _narrowed(record, filters)
        context = {
            **_of_record(everything, record, owner, now),
            "allergies": tried(theirs, what_matters.allergies_of) if subject in {ALLERGIES, MEDICINES} else None,
            "subject": subject,
            "people": part.people,
            "list": _list(record, subject, filters),
            "notices": absences.of(part, subject),
        }
        return render(request, "records/subject.html", context)


@require_safe
@login_required
@cache_control(no_store=True, private=True)
def show_everything(request: HttpRequest) -> HttpResponse:
    """Show everything by date."""
    now = timezone.now()
    with whole.opened(current_user(request), LISTED, session=request.session, at=now) as everything:
        record, owner = everything.of_one(queries.person(request.GET))
        asked = subjects.find(request.GET.get("subject", ""))
        filters = replace(_filters(request.GET, record, owner), subject=asked.key if asked else "")
        part, _theirs = _narrowed(record, filters)
        context = {
            **_of_record(everything, record, owner, now),
            "people": part.people,
            "list": _list(record, None, filters),
            "is_everything": True,
        }
        return render(request, "records/everything.html", context)


@require_safe
@login_required
@cache_control(no_store=True, private=True)
def show_what_is_new(request: HttpRequest) -> HttpResponse:
    """Show everything that came or changed since the last visit."""
    now = timezone.now()
    with whole.opened(current_user(request), LISTED, session=request.session, at=now) as everything:
        record, owner = everything.of_one(queries.person(request.GET))
        context = {
            **_of_record(everything, record, owner, now),
            "sources": tuple(record.sources_of(LISTED).values()),
            "new": tried(record, what_is_new.of),
        }
        return render(request, "records/what_is_new.html", context)


def _of_record(everything: Whole, record: Whole, owner: Owner | None, now: datetime) -> dict[str, Any]:
    """The context of every page of a record: the whole record, or that of one person."""
    return {
        "whole": record,
        "owners": everything.owners,
        "owner": owner,
        "of_one": queries.kept(owner),
        "subjects": LISTED,
        "now": now,
    }


def _list(record: Whole, subject: Subject | None, filters: Filters) -> EntryList | None:
    if subject is None:
        return tried(record, lambda whole: lists.of_everything(whole, LISTED, filters))
    return tried(record, lambda whole: lists.of_subject(whole, subject, filters))


def _narrowed(record: Whole, filters: Filters) -> tuple[Whole, Whole]:
    """The part of the record that a list is about, and the whole record of the same people: the medicines from one
    provider are shown with the allergies that others know as well."""
    if filters.source is None:
        return record, record
    return record.of_the_source(filters.source), record.of_the_person_of(filters.source)


def _filters(query: QueryDict, record: Whole, owner: Owner | None) -> Filters:
    """What the address asks for, without values that are invalid, or that belong to a connection that is no longer
    here."""
    source = queries.source(query)
    page, year, arranged = query.get("page", ""), query.get("year", ""), query.get("by", "")
    return Filters(
        page=int(page) if page.isascii() and page.isdigit() and 0 < len(page) < 6 else 1,
        source=source if source in record.sources else None,
        person=owner.connection_id if owner else None,
        year=year if year.isascii() and year.isdigit() and len(year) == 4 else "",
        kind=_mark(query.get("kind", "")),
        author=_mark(query.get("author", "")),
        arranged=arranged if arranged in {BY_DATE, BY_NAME, DRAFTS, GONE} else "",
    )


def _mark(asked: str) -> str:
    return asked if len(asked) == narrowing.MARK_LENGTH and asked.isascii() and asked.isalnum() else ""
