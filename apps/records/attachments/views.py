"""The page of one file, and the file to save. Nothing that a provider wrote is ever run, or shown as it was sent."""

import logging
from collections.abc import Callable
from typing import TypeVar

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from apps.accounts.current_user import current_user
from apps.connections import clocks
from apps.connections.views import waiting_room
from apps.records.attachments import fetching, handing_out
from apps.records.attachments.opening import OpenedFile, OpenedPicture, open_file, open_picture
from apps.records.attachments.refusals import FileRefused, NoSeat
from apps.records.models import Record
from apps.records.subjects import LISTED, OTHER, Subject, shelved_for
from apps.records.viewing import asking_first, entries, queries
from apps.records.viewing.opening import looking
from apps.vault.errors import VaultError

_LOG = logging.getLogger(__name__)

_Opened = TypeVar("_Opened")


@require_safe
@login_required
@cache_control(no_store=True, private=True)
def show_file(request: HttpRequest, record_pk: int, number: int) -> HttpResponse:
    """The page of a file: its text, or what it is and how to save it, or why we do not have it. If it may carry grave
    news, the page of its entry asks first."""
    record = _record(request, record_pk)
    context = {
        "record": record,
        "number": number,
        "provider": record.connection.provider.name,
        "subject": next(iter(shelved_for(record.resource_type)), OTHER),
        "subjects": LISTED,
        "of_one": queries.kept_of(request.GET),
    }
    try:
        context["subject"] = subject = entries.subject_of(record) or OTHER
        if asking_first.is_due(record, session=request.session):
            return _asked_first(request, subject, record)
        file = _found(lambda: open_file(record, number, clock=clocks.shared(), seat=handing_out.seat_for(record)))
    except VaultError as error:
        _LOG.error("A file does not open: connection %s, %s.", record.connection_id, type(error).__name__)
        return render(request, "records/file.html", context)
    except NoSeat:
        return waiting_room.come_again(request)
    except FileRefused as refusal:
        refused = {"refusal": refusal, "limit": fetching.MOST_BYTES}
        return render(request, "records/file.html", {**context, **refused})
    return render(request, "records/file.html", {**context, "file": file})


@require_safe
@login_required
@cache_control(no_store=True, private=True)
def save_file(request: HttpRequest, record_pk: int, number: int) -> HttpResponse:
    """The file, to save and not to show. If we do not have it, its page says why. If it may carry grave news, the page
    of its entry asks first."""

    def opened(record: Record) -> OpenedFile:
        return open_file(record, number, clock=clocks.shared(), seat=handing_out.seat_for(record))

    file = _to_save(request, record_pk, number, opened)
    return file if isinstance(file, HttpResponse) else handing_out.of_file(file)


@require_safe
@login_required
@cache_control(no_store=True, private=True)
def save_picture(request: HttpRequest, record_pk: int, number: int, picture: int) -> HttpResponse:
    """A picture in a file, counted from 1, by the same rules as the file."""

    def opened(record: Record) -> OpenedPicture:
        return open_picture(record, number, picture, clock=clocks.shared(), seat=handing_out.seat_for(record))

    shown = _to_save(request, record_pk, number, opened)
    return shown if isinstance(shown, HttpResponse) else handing_out.of_picture(shown)


def _to_save(
    request: HttpRequest, record_pk: int, number: int, opened: Callable[[Record], _Opened]
) -> _Opened | HttpResponse:
    """What `opened` returns for a record of this person, or a redirect to where to go first. Raises Http404 for anybody
    else's record, and if the record has no such file."""
    record = _record(request, record_pk)
    try:
        if asking_first.is_due(record, session=request.session):
            subject = entries.subject_of(record) or OTHER
            return _asked_first(request, subject, record)
        return _found(lambda: opened(record))
    except (VaultError, FileRefused, NoSeat):
        return redirect("file", record_pk=record_pk, number=number)


def _asked_first(request: HttpRequest, subject: Subject, record: Record) -> HttpResponse:
    """A redirect to the page of the record's entry."""
    query = queries.carried(request.GET, queries.PERSON)
    return redirect(reverse("entry", args=[subject.key, record.pk], query=query))


def _found(opened: Callable[[], _Opened]) -> _Opened:
    try:
        return opened()
    except (LookupError, Record.DoesNotExist):
        raise Http404 from None


def _record(request: HttpRequest, pk: int) -> Record:
    """A record of this person. Raises Http404 for anybody else's."""
    try:
        record = entries.find(current_user(request), pk)
    except Record.DoesNotExist:
        raise Http404 from None
    looking.note([record.connection], session=request.session, at=timezone.now())
    return record
