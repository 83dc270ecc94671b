"""Signing out, also of what was only begun."""

from typing import Any

from allauth.account import views
from django.http import HttpResponse

from apps.accounts import ended_sessions


class LogoutView(views.LogoutView):  # type: ignore[misc]  # the library has no types
    """allauth's, and the session goes whoever it belongs to.

    Cancelling while a code is awaited comes here too. The library keeps what it remembers of an address that has an
    account already, and would show the next visitor that somebody asked with it; and the difference would tell who has
    an account.
    """

    def post(self, *args: Any, **kwargs: Any) -> HttpResponse:
        """Also where the session had ended before the button was pressed: they wanted to go."""
        response: HttpResponse = super().post(*args, **kwargs)
        ended_sessions.forget(response)
        return response

    def logout(self) -> None:
        super().logout()
        self.request.session.flush()
