"""Search within one's own record. The words are sent in the body: an address stays in the browser's history.

The session, which is sealed, keeps the words under a number, and the results are at an address with that number. So
going back from an entry leads to the results; if they were the response to a form, browsers would ask to send the form
again.
"""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from apps.accounts.current_user import current_user
from apps.records.shelving.reading import Outdated
from apps.records.subjects import LISTED
from apps.records.viewing import queries, searches
from apps.records.viewing.listing import absences
from apps.records.viewing.listing.filters import Filters
from apps.records.viewing.opening import whole
from apps.records.viewing.opening.whole import Owner, Whole
from apps.records.viewing.searches import Found
from apps.vault.errors import VaultError

_TRIES = 2  # if shelves were rebuilt while they were read, the new ones are there a moment later
_KEPT = "searches"  # in the session: the latest searches, each with its number
_MOST_KEPT = 10  # enough for a few tabs, and a few steps back in each


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@cache_control(no_store=True, private=True)
def search_record(request: HttpRequest) -> HttpResponse:
    """Show the search box, and the results."""
    if request.method == "POST":
        return _show(_keep(request, request.POST.get("words", "")), queries.person(request.GET))
    number = request.GET.get(queries.SEARCH, "")
    kept = _kept(request, number)
    words = kept or ""
    now = timezone.now()
    with whole.opened(current_user(request), LISTED, session=request.session, at=now) as everything:
        record, owner = everything.of_one(queries.person(request.GET))
        found, is_prepared_anew = _found(record, words, owner) if words.strip() else (None, False)
        does_not_open = record.does_not_open or (words.strip() and found is None)
        context = {
            "owners": everything.owners,
            "owner": owner,
            "of_one": queries.kept(owner),
            "filters": Filters(person=owner.connection_id if owner else None),
            "number": number if kept is not None else "",
            "found": found,
            "is_forgotten": bool(number) and kept is None,
            "says_nothing": kept is not None and not words.strip(),
            "is_prepared_anew": is_prepared_anew,
            "does_not_open": does_not_open and not is_prepared_anew,
            "lacks_some": record.lacks_some,
            "has_sources": bool(record.sources),
            "not_shared": absences.not_shared(record) if found and not found.count else (),
            "unfinished": [one for one in record.sources_of(LISTED).values() if one.checked_at is None],
            "subjects": LISTED,
            "now": now,
        }
        return render(request, "records/search.html", context)


def _keep(request: HttpRequest, words: str) -> int:
    """Keep the words, and return their number."""
    kept = request.session.get(_KEPT, [])
    number = kept[-1][0] + 1 if kept else 1
    request.session[_KEPT] = [*kept, [number, words[: searches.LONGEST_WORDS]]][-_MOST_KEPT:]
    return number


def _show(number: int, person: UUID | None) -> HttpResponseRedirect:
    response = HttpResponseRedirect(f"{reverse('search_record')}{queries.kept_by(person, search=str(number))}")
    response.status_code = 303
    return response


def _kept(request: HttpRequest, number: str) -> str | None:
    """The words of a search; None if they are no longer kept."""
    return next((words for kept, words in request.session.get(_KEPT, []) if str(kept) == number), None)


def _found(record: Whole, words: str, owner: Owner | None) -> tuple[Found | None, bool]:
    """The results, or None if nothing can be searched at the moment; and whether that is because its shelves are being
    rebuilt."""
    for _try in range(_TRIES):
        try:
            return searches.of(record, words, owner=owner), False
        except Outdated:
            record = record.read_again()
        except VaultError:
            return None, False
    return None, True
