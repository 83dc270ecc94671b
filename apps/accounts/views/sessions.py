"""Where somebody is signed in, and ending the other sessions."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from apps.accounts import user_sessions
from apps.accounts.current_user import current_user


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def show(request: HttpRequest) -> HttpResponse:
    """The list of their sessions, and the button that ends all others."""
    user, now = current_user(request), timezone.now()
    if request.method == "POST":
        user_sessions.end_others(user, request.session, at=now)
        messages.info(request, _("You are logged out everywhere else."))
        return redirect("sessions")
    rows = [(kept, user_sessions.is_current(kept, request.session)) for kept in user_sessions.sessions_of(user, at=now)]
    return render(request, "accounts/sessions.html", {"rows": rows})
