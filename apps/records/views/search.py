"""Search within one's own record. What is looked for is sent in the body: an address stays in the browser's history."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from apps.accounts.current_user import current_user
from apps.records.shelving.reading import Outdated
from apps.records.subjects import LISTED
from apps.records.viewing import searches, whole
from apps.records.viewing.searches import Found
from apps.records.viewing.whole import Whole
from apps.vault.errors import VaultError

_TRIES = 2  # shelves that were built anew while they were read are there a moment later


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@cache_control(no_store=True, private=True)
def search_record(request: HttpRequest) -> HttpResponse:
    """The box, and what was found."""
    words = request.POST.get("words", "")
    now = timezone.now()
    with whole.opened(current_user(request), LISTED, session=request.session, at=now) as record:
        found, is_prepared_anew = _found(record, words) if words.strip() else (None, False)
        does_not_open = record.does_not_open or (words.strip() and found is None)
        context = {
            "found": found,
            "is_prepared_anew": is_prepared_anew,
            "does_not_open": does_not_open and not is_prepared_anew,
            "lacks_some": record.lacks_some,
            "subjects": LISTED,
            "now": now,
        }
        return render(request, "records/search.html", context)


def _found(record: Whole, words: str) -> tuple[Found | None, bool]:
    """None where it cannot be searched just now, and whether that is because its shelves are being built anew."""
    for _try in range(_TRIES):
        try:
            return searches.of(record, words), False
        except Outdated:
            record = record.read_again()
        except VaultError:
            return None, False
    return None, True
