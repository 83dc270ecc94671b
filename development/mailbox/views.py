"""A page with the mail of this machine, for this machine only."""

from ipaddress import ip_address
from pathlib import Path

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from development.mailbox import messages


@never_cache
@require_safe
def mailbox(request: HttpRequest) -> HttpResponse:
    """Every message, the newest first, as plain text. 404 for any other machine: it holds codes that let people in."""
    if not ip_address(request.META["REMOTE_ADDR"]).is_loopback:
        raise Http404
    kept = messages.newest_first(Path(settings.EMAIL_FILE_PATH))
    return render(request, "development/mailbox.html", {"kept": kept})
