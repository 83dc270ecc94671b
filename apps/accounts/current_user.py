"""The signed-in user, typed for views."""

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from apps.accounts.models import User


def current_user(request: HttpRequest) -> User:
    """The person signed in. For views behind `login_required`; raises PermissionDenied if that decorator is missing."""
    if isinstance(request.user, User):
        return request.user
    raise PermissionDenied
