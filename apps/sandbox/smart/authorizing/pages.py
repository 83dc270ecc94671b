"""The pages of interface B during authorization. None closes itself or may be framed; each says whether closing it is
safe (X39).
"""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from apps.sandbox.models import Account, Persona
from apps.sandbox.sign_in import pages
from apps.sandbox.smart.authorizing import wording
from apps.sandbox.smart.authorizing.asked import Asked


def sign_in(request: HttpRequest, asked: Asked, *, problem: str = "") -> HttpResponse:
    """Asks for user name and password. `problem` is "unknown" or "no-record"."""
    return pages.sign_in(
        request,
        asked.application.name,
        asked.way_back.redirect_uri,
        problem=problem,
        organization=asked.organization,
        is_for_clinicians=asked.application.persona == Persona.PROVIDER,
    )


def consent(request: HttpRequest, asked: Asked, account: Account, *, problem: str = "") -> HttpResponse:
    """Asks whose record to share, if there is a choice, and what the application may read. `problem`: "no-choice"."""
    choices = asked.choices_of(account)
    context = {
        "application": asked.application.name,
        "organization": asked.organization,
        "account": account,
        "version": asked.place.version.upper(),
        "choices": wording.names(asked.place, choices) if len(choices) > 1 else [],
        "ticks": wording.ticks(asked.scopes),
        "is_lasting": "offline_access" in asked.scopes,
        "problem": problem,
    }
    response = render(request, "sandbox/smart/consent.html", context)
    return pages.leading_to(response, asked.way_back.redirect_uri)


def signed_out(request: HttpRequest, *, is_done: bool) -> HttpResponse:
    """Asks whether to sign out, or says that it is done."""
    return render(request, "sandbox/smart/signed_out.html", {"is_done": is_done})
