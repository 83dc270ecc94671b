"""One registration: its steps in order, with the form of the one that is open. A POST takes one step."""

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from apps.accounts import reauthentication
from apps.connections.trials import trial_page
from apps.directory import import_waits, registering, registration_overview
from apps.directory.desk import form_entries
from apps.directory.models import ClientRegistration
from apps.portal.desk import registration_status, step_actions, steps
from apps.portal.desk.staff import actor, staff_only
from apps.portal.desk.steps import Progress
from apps.portal.desk.values_to_copy import to_copy


@require_safe
@staff_only
def show(request: HttpRequest, registration_id: UUID) -> HttpResponse:
    """The steps, with one open: that of `?step=`, or the first to do."""
    registration = _registration(registration_id)
    progress = steps.progress(registration, opened=request.GET.get("step", ""), at=timezone.now())
    return _page(request, registration, progress, _form_of(registration, progress))


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def take(request: HttpRequest, registration_id: UUID, step: str) -> HttpResponse:
    """Take one step, with its form or a button. A GET of the same URL shows the step; if the step requires a recent
    password, it asks for that first."""
    registration = _registration(registration_id)
    if not step_actions.is_step_of(step, registration):
        raise Http404
    if request.method != "POST":
        if step in step_actions.WANT_PASSWORD:
            reauthentication.require_for_staff(request)
        return redirect(f"{reverse('desk-registration', args=[registration.pk])}?step={step_actions.opened_by(step)}")
    if step in step_actions.WANT_PASSWORD and not reauthentication.is_recent_for_staff(request):
        messages.info(request, _("Nothing was changed yet. Enter your password again, then do this again."))
        return _see(request.path)
    if step in step_actions.BUTTONS:
        return _press(request, registration, step)
    return _fill(request, registration, step)


def _fill(request: HttpRequest, registration: ClientRegistration, step: str) -> HttpResponse:
    form = step_actions.form(step, registration, request.POST)
    if not form.is_valid() and step_actions.why_not_this(step):  # a second form on the page, which shows no errors
        messages.error(request, step_actions.why_not_this(step))
        return _back(registration)
    if not form.is_valid():
        progress = steps.progress(registration, opened=step, at=timezone.now())
        return _page(request, registration, progress, form, status=422)
    try:
        step_actions.keep(step, registration, form.cleaned_data, actor=actor(request), at=timezone.now())
    except form_entries.NotNow:
        return _not_now(request, registration)
    messages.success(request, _("Saved."))
    return _back(registration)


def _press(request: HttpRequest, registration: ClientRegistration, button: str) -> HttpResponse:
    try:
        with import_waits.briefly():
            step_actions.BUTTONS[button](registration, actor=actor(request), at=timezone.now())
    except form_entries.NotNow:
        return _not_now(request, registration)
    return _back(registration)


def _not_now(request: HttpRequest, registration: ClientRegistration) -> HttpResponse:
    """Say why the step is impossible, from the row as it is now."""
    messages.error(request, step_actions.why_not_now(_registration(registration.pk)))
    return _back(registration)


def _page(
    request: HttpRequest,
    registration: ClientRegistration,
    progress: Progress,
    form: forms.Form | None,
    *,
    status: int = 200,
) -> HttpResponse:
    endpoints = registration_overview.endpoints(registration, most=step_actions.MOST_LISTED)
    siblings = registration_overview.siblings(registration)
    registration_status.show_on([registration, *siblings], at=timezone.now())
    context: dict[str, Any] = {
        "registration": registration,
        "kind": registration_overview.kind(registration),
        "names": registration_overview.provider_names(registration),
        "is_over": registration.status in registering.OVER,
        "progress": progress,
        "form": form,
        "wants_password": _wants_password(request, progress),
        "copy": to_copy(registration, next(iter(endpoints), None)),
        "siblings": siblings,
        "endpoints": endpoints,
        "organizations": registration_overview.organizations(
            registration, endpoints, let_in=trial_page.let_in(registration, endpoints)
        ),
        "proof": registration_overview.proof(registration),
        "next_key": form_entries.key_to_hand_over(registration),
        "use_account": step_actions.form(step_actions.USE_ACCOUNT, registration)
        if form_entries.usable_accounts()
        else None,
    }
    return render(request, "portal/desk/registration.html", context, status=status)


def _form_of(registration: ClientRegistration, progress: Progress) -> forms.Form | None:
    step = progress.open_step
    return (
        step_actions.form(step.key.value, registration)
        if step is not None and step.key.value in step_actions.FORMS
        else None
    )


def _wants_password(request: HttpRequest, progress: Progress) -> bool:
    """Whether to ask for the password before showing the open step's form: otherwise its input would be lost."""
    step = progress.open_step
    return (
        step is not None
        and step.key.value in step_actions.WANT_PASSWORD
        and not reauthentication.is_recent_for_staff(request)
    )


def _registration(registration_id: UUID) -> ClientRegistration:
    rows = ClientRegistration.objects.select_related("authorization_server", "system_account", "signing_key")
    return get_object_or_404(rows, pk=registration_id)


def _back(registration: ClientRegistration) -> HttpResponse:
    return _see(reverse("desk-registration", args=[registration.pk]))


def _see(address: str) -> HttpResponse:
    response = redirect(address)
    response.status_code = 303
    return response
