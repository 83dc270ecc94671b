"""Signing out, also when signing in was only begun."""

from typing import Any

from allauth.account import views
from django.http import HttpResponse

from apps.accounts import ended_sessions


class LogoutView(views.LogoutView):  # type: ignore[misc]  # the library has no types
    """allauth's view; it also flushes the session of somebody who is not signed in yet.

    "Cancel" on the page that asks for a code leads here. The library keeps in the session that somebody signed up with
    an address that has an account already, and would show it to the next visitor, who would learn who has an account.
    """

    def post(self, *args: Any, **kwargs: Any) -> HttpResponse:
        """Works also if the session had ended before the button was pressed: they wanted to leave."""
        response: HttpResponse = super().post(*args, **kwargs)
        ended_sessions.forget(response)
        return response

    def logout(self) -> None:
        super().logout()
        self.request.session.flush()
