"""Download a copy: the page of choices, and the copy itself. Only by POST, after the password, and only one's own."""

import logging
import time
from datetime import datetime
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from apps.accounts import reauthentication
from apps.accounts.current_user import current_user
from apps.records import subjects
from apps.records.exporting import admitting, choosing, copies, stored, summaries
from apps.records.exporting.admitting import Format, TooMany
from apps.records.exporting.choosing import Choice
from apps.records.exporting.copies import Part
from apps.records.exporting.forms import CopyForm
from apps.records.exporting.ips import documents
from apps.records.exporting.pdf import making
from apps.records.exporting.stored import DeletedMeanwhile
from apps.records.viewing import queries
from apps.vault.errors import Shredded, VaultError

_MINUTES = 60

_LOG = logging.getLogger(__name__)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@cache_control(no_store=True, private=True)
@reauthentication.required
def download(request: HttpRequest) -> HttpResponseBase:
    """Show what can be downloaded and what is missing; POST downloads it."""
    return _take(request) if request.method == "POST" else _ask(request)


def _ask(request: HttpRequest) -> HttpResponse:
    choices = choosing.choices(current_user(request), at=timezone.now())
    only = subjects.find(request.GET.get("only", ""))
    source, person = queries.source(request.GET), queries.person(request.GET)
    return _page(request, choices, CopyForm.of(choices, only=only, source=source, person=person))


def _take(request: HttpRequest) -> HttpResponseBase:
    user, at = current_user(request), timezone.now()
    choices = choosing.choices(user, at=at)
    form = CopyForm(choices, request.POST)
    if not form.is_valid():
        return _page(request, choices, form, status=422)
    chosen, wanted = form.chosen, Format(form.cleaned_data["format"])
    if wanted is Format.PDF and not making.has_room():  # before it is written down, and counted, that they took one
        return _busy(request)
    try:
        admitting.admit(user, [choice.connection.pk for choice in chosen], wanted, at=at)
    except TooMany:
        return render(request, "429.html", {"minutes": _MINUTES}, status=429)
    except DeletedMeanwhile:  # a user who closed the account must sign in
        return redirect("download_copy")
    return _answer(request, form, at)


def _answer(request: HttpRequest, form: CopyForm, at: datetime) -> HttpResponseBase:
    try:
        return _made(request, form, at)
    except (DeletedMeanwhile, Shredded):  # the page shows what is left, or asks for a sign-in
        return redirect("download_copy")
    except making.Busy:
        return _busy(request)
    except making.CannotMake as error:
        _LOG.error("A PDF cannot be made: %s.", error)
        return render(request, "records/exporting/failed.html", {"can_be_read": True}, status=500)
    except VaultError as error:
        _LOG.error("A copy cannot be made: %s.", type(error).__name__)
        return render(request, "records/exporting/failed.html", status=500)


def _busy(request: HttpRequest) -> HttpResponse:
    context = {"is_busy": True, "can_be_read": True}
    return render(request, "records/exporting/failed.html", context, status=503)


def _made(request: HttpRequest, form: CopyForm, at: datetime) -> HttpResponseBase:
    chosen, wanted = form.chosen, Format(form.cleaned_data["format"])
    if wanted in {Format.SUMMARY, Format.PDF}:
        portion = form.portion(today=timezone.localdate(at))
        context = {"summary": summaries.summary(chosen, at=at, portion=portion), "now": at}
        return _to_read(request, context, chosen, wanted)
    if wanted is Format.IPS:
        document = documents.document(chosen, at=at, tells_answers=form.cleaned_data["answers"])
        response = HttpResponse(document, content_type="application/fhir+json")
        _ensure_held(chosen)
        return _attached(response, f"holdfast-patient-summary-{at:%Y-%m-%d}.json")
    _ensure_held(chosen)  # once a response has begun, it can only break off
    stored.ensure_opens(chosen[0].source)
    return _archive(chosen, wanted, at)


def _to_read(
    request: HttpRequest, context: dict[str, Any], chosen: tuple[Choice, ...], wanted: Format
) -> HttpResponseBase:
    if wanted is Format.SUMMARY:
        _ensure_held(chosen)
        return render(request, "records/exporting/summary.html", context)
    made = making.made(render_to_string("records/exporting/paper.html", context))
    _ensure_held(chosen)
    response = HttpResponse(made, content_type="application/pdf")
    return _attached(response, f"holdfast-record-{context['now']:%Y-%m-%d}.pdf")


def _ensure_held(chosen: tuple[Choice, ...]) -> None:
    for choice in chosen:
        stored.ensure_held(choice.source)


def _archive(chosen: tuple[Choice, ...], wanted: Format, at: datetime) -> HttpResponseBase:
    parts = [Part(choice.source, choice.gaps, whose=choice.person) for choice in chosen]
    pieces = admitting.in_time(copies.copy(parts, copies.Form(wanted), at=at), now=time.monotonic)
    response = StreamingHttpResponse(pieces, content_type="application/zip")
    return _attached(response, f"holdfast-record-{at:%Y-%m-%d}.zip")


def _attached(response: HttpResponseBase, name: str) -> HttpResponseBase:
    """Saved under a name that says nothing about its content."""
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _page(request: HttpRequest, choices: tuple[Choice, ...], form: CopyForm, *, status: int = 200) -> HttpResponse:
    context = {"choices": choices, "form": form, "is_empty": not any(choice.entries for choice in choices)}
    return render(request, "records/exporting/download.html", context, status=status)
