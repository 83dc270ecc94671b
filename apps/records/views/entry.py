"""The pages of one entry: what it says, and the resource as the provider sent it."""

import logging
from typing import Final

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_safe

from apps.accounts.current_user import current_user
from apps.records import subjects
from apps.records.models import Record
from apps.records.shelving.reading import Outdated
from apps.records.subjects import LISTED, OTHER
from apps.records.viewing import as_sent, asking_first, entries, over_time, queries, saving_values
from apps.records.viewing.listing import rows
from apps.records.viewing.opening import looking, one_record, overview
from apps.records.viewing.over_time import ChartQuery, IsListedElsewhere, IsNoResult
from apps.vault.errors import VaultError

_LOG = logging.getLogger(__name__)

# What their addresses may ask for.
_OF_AN_ENTRY: Final = ("versions", "range", queries.PERSON)
_OF_VALUES: Final = ("span", "all", queries.SOURCE, queries.PERSON)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@cache_control(no_store=True, private=True)
def show_entry(request: HttpRequest, subject_key: str, record_pk: int) -> HttpResponse:
    """Show one entry. Its address says which list it belongs to, and nothing about its content. What may carry grave
    news asks first, once per session; a POST means that the reader wants to read it now."""
    record = _record(request, record_pk)
    now = timezone.now()
    is_out_of_date = overview.is_out_of_date(record.connection, at=now)
    context = {"record": record, "subjects": LISTED, "now": now, "is_out_of_date": is_out_of_date}
    context["of_one"] = queries.kept_of(request.GET)
    try:
        page = entries.of(record, at=now, has_all_versions="versions" in request.GET)
        asks_first = asking_first.is_due_on(page, session=request.session)
    except VaultError as error:
        _LOG.error("A record does not open: connection %s, %s.", record.connection_id, type(error).__name__)
        subject = subjects.find(subject_key) or OTHER
        return render(request, "records/entry.html", {**context, "page": None, "subject": subject})
    if page.subject is not None and page.subject.key != subject_key:  # a link kept from when it was listed elsewhere
        return _lead_to("entry", page.subject.key, record_pk, queries.carried(request.GET, *_OF_AN_ENTRY))
    if request.method == "POST":
        asking_first.note_answer(page, session=request.session)
        return _lead_to("entry", subject_key, record_pk, queries.carried(request.GET, *_OF_AN_ENTRY))
    if asks_first:
        return render(request, "records/calm.html", {**context, "subject": page.subject})
    context |= {"page": page, "subject": page.subject, "wants_range": "range" in request.GET}
    return render(request, "records/entry.html", context)


@require_safe
@login_required
@cache_control(no_store=True, private=True)
def show_as_sent(request: HttpRequest, subject_key: str, record_pk: int) -> HttpResponse:
    """Show the resource as received. If it may carry grave news, the entry's own page asks first."""
    record = _record(request, record_pk)
    try:
        if asking_first.is_due(record, session=request.session):
            return _lead_to("entry", subject_key, record_pk, queries.carried(request.GET, queries.PERSON))
        sent: str | None = as_sent.text(record)
    except VaultError as error:
        _LOG.error("A record does not open: connection %s, %s.", record.connection_id, type(error).__name__)
        sent = None
    context = {"record": record, "sent": sent, "subject_key": subject_key, "subjects": LISTED}
    context["of_one"] = queries.kept_of(request.GET)
    return render(request, "records/as_sent.html", context)


@require_safe
@login_required
@cache_control(no_store=True, private=True)
def show_over_time(request: HttpRequest, subject_key: str, record_pk: int, *, is_file: bool = False) -> HttpResponse:
    """Show every value of an entry's test, as a page or as a file for a spreadsheet. If the entry may carry grave news,
    its own page asks first."""
    user, now = current_user(request), timezone.now()
    try:
        record = one_record.find(user, record_pk)
    except Record.DoesNotExist:
        raise Http404 from None
    subject = subjects.find(subject_key)
    if subject not in over_time.SUBJECTS or subject is None:
        raise Http404
    context = {"record": record, "subject": subject, "subjects": LISTED, "now": now}
    context["of_one"] = queries.kept_of(request.GET)
    asked = _asked(request, is_file=is_file)
    try:
        page = over_time.of(record, subject, asked, user=user, session=request.session, at=now)
    except (IsNoResult, Record.DoesNotExist):
        raise Http404 from None
    except IsListedElsewhere as moved:
        there = "save_values" if is_file else "over_time"
        return _lead_to(there, moved.subject.key, record_pk, queries.carried(request.GET, *_OF_VALUES))
    except (VaultError, Outdated) as error:
        _LOG.error("A test does not open: connection %s, %s.", record.connection_id, type(error).__name__)
        return render(request, "records/over_time.html", {**context, "test": None})
    if page is None:
        return _lead_to("entry", subject_key, record_pk, queries.carried(request.GET, queries.PERSON))
    if is_file:
        return _saved(saving_values.of(page.test))
    context |= {"title": rows.names(page.entry), "entry": page.entry, "test": page.test, "whole": page.whole}
    context |= {"person": page.person, "behind": page.behind, "checked": page.checked, "written_in": page.language}
    return render(request, "records/over_time.html", context)


def _lead_to(page: str, subject_key: str, record_pk: int, query: dict[str, str]) -> HttpResponse:
    return redirect(reverse(page, args=[subject_key, record_pk], query=query))


def _asked(request: HttpRequest, *, is_file: bool) -> ChartQuery:
    most = over_time.MOST_SAVED if is_file else over_time.MOST_VALUES
    query = request.GET
    return ChartQuery(
        query.get("span", ""), all_rows=is_file or "all" in query, most=most, source=queries.source(query)
    )


def _saved(written: str) -> HttpResponse:
    """Saved under a name that says nothing about its content."""
    attached = {"Content-Disposition": 'attachment; filename="values.csv"'}
    return HttpResponse(written, content_type="text/csv; charset=utf-8", headers=attached)


def _record(request: HttpRequest, pk: int) -> Record:
    """A record of this person; Http404 for anybody else's."""
    try:
        record = entries.find(current_user(request), pk)
    except Record.DoesNotExist:
        raise Http404 from None
    looking.note([record.connection], session=request.session, at=timezone.now())
    return record
