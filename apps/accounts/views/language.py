"""Choosing the language of the pages, and of the mail we send."""

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.views import i18n
from django.views.decorators.http import require_POST

from apps.accounts.models import User


@require_POST
def set_language(request: HttpRequest) -> HttpResponseBase:
    """Store the choice in a cookie and, for somebody signed in, on their account; return to the page they were on."""
    chosen = request.POST.get("language", "")
    if isinstance(request.user, User) and chosen in dict(settings.LANGUAGES):
        User.objects.filter(pk=request.user.pk).update(language=chosen)
    return i18n.set_language(request)
