"""The pages of the system-accounts application. A developer sees the accounts they asked for, and no others."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from apps.sandbox import clock, fields
from apps.sandbox.developers.signed_in import for_developers
from apps.sandbox.models import Developer, SystemAccount
from apps.sandbox.models.decided import MoveRefused
from apps.sandbox.registration import RequestRefused
from apps.sandbox.smart.clients.public_keys import PrivateKey
from apps.sandbox.smart.system_accounts import requesting
from apps.sandbox.smart.system_accounts.forms import AccountForm, KeysForm
from apps.sandbox.smart.system_accounts.requesting import Asked

_SHOWN = "shown_system_secret"


@require_GET
@for_developers
def accounts(request: HttpRequest, developer: Developer) -> HttpResponse:
    """The developer's accounts, and the status of each."""
    return _page(request, "system_accounts", developer, accounts=developer.systemaccount_set.order_by("-pk"))


@require_http_methods(["GET", "POST"])
@for_developers
def request_account(request: HttpRequest, developer: Developer) -> HttpResponse:
    """The form of specification 5.2.7, and submitting it."""
    form = AccountForm(fields.posted(request))
    if form.is_valid():
        account = requesting.request_account(Asked(**form.cleaned_data), developer=developer, at=clock.now())
        return redirect("system-account", account.pk)
    return _page(request, "system_account_request", developer, form=form)


@require_GET
@for_developers
def account(request: HttpRequest, developer: Developer, pk: int) -> HttpResponse:
    """One account: its status, its id once there is one, and its credentials. A secret is shown once."""
    row = _own(developer, pk)
    secret = request.session.pop(f"{_SHOWN}_{pk}", "")
    applications = developer.smartapplication_set.filter(guid=row.client_id).order_by("name", "pk")
    return _page(request, "system_account", developer, account=row, secret=secret, applications=applications)


@require_POST
@for_developers
def make_secret(request: HttpRequest, developer: Developer, pk: int) -> HttpResponse:
    """The first secret, or a new one instead of the old (specification 5.2.8)."""
    row = _own(developer, pk)
    try:
        request.session[f"{_SHOWN}_{pk}"] = requesting.make_secret(row, at=clock.now())
    except MoveRefused:
        messages.error(request, _("There is no secret for an account that is not approved, or has keys."))
    return redirect("system-account", pk)


@require_http_methods(["GET", "POST"])
@for_developers
def register_keys(request: HttpRequest, developer: Developer, pk: int) -> HttpResponse:
    """Public keys, as a set or by URL (specification 5.2.6)."""
    row = _own(developer, pk)
    if not requesting.takes_keys(row):
        messages.error(request, _("There are no keys for an account that is not approved, or has a secret."))
        return redirect("system-account", pk)
    form = KeysForm(fields.posted(request), initial={"jwks_url": row.jwks_url})
    try:
        if form.is_valid():
            requesting.register_keys(row, **form.cleaned_data)
            messages.success(request, _("The keys are registered, and in effect from now on."))
            return redirect("system-account", pk)
    except RequestRefused as refused:
        fields.blame(form, refused)
        if isinstance(refused, PrivateKey):
            fields.blank(form, "jwks")
    return _page(request, "system_account_keys", developer, form=form, account=row)


@require_POST
@for_developers
def retire(request: HttpRequest, developer: Developer, pk: int) -> HttpResponse:
    """Retire the account."""
    row = _own(developer, pk)
    try:
        requesting.retire(row, at=clock.now())
        messages.success(request, _("The system account is retired."))
    except MoveRefused:
        messages.error(request, _("This system account has already ended."))
    return redirect("system-account", pk)


def _own(developer: Developer, pk: int) -> SystemAccount:
    """One of the developer's own; 404 for another developer's."""
    return get_object_or_404(developer.systemaccount_set, pk=pk)


def _page(request: HttpRequest, name: str, developer: Developer, **context: object) -> HttpResponse:
    return render(request, f"sandbox/smart/{name}.html", {"developer": developer, **context})
