"""Search within one's own record. What is looked for is sent in the body: an address stays in the browser's history.

The session keeps it, sealed as it is, under a number; what was found is shown at an address with that number. So the
way back from an entry leads to what was found: to the answer of a form, browsers go back by asking to send it again.
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

_TRIES = 2  # shelves that were built anew while they were read are there a moment later
_KEPT = "searches"  # in the session: the latest ones, each with its number
_MOST_KEPT = 10  # a few tabs, and a few steps back in each


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@cache_control(no_store=True, private=True)
def search_record(request: HttpRequest) -> HttpResponse:
    """The box, and what was found."""
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
    """The number it is shown under."""
    kept = request.session.get(_KEPT, [])
    number = kept[-1][0] + 1 if kept else 1
    request.session[_KEPT] = [*kept, [number, words[: searches.LONGEST_WORDS]]][-_MOST_KEPT:]
    return number


def _show(number: int, person: UUID | None) -> HttpResponseRedirect:
    response = HttpResponseRedirect(f"{reverse('search_record')}{queries.kept_by(person, search=str(number))}")
    response.status_code = 303
    return response


def _kept(request: HttpRequest, number: str) -> str | None:
    """What was looked for; None where it is kept no more."""
    return next((words for kept, words in request.session.get(_KEPT, []) if str(kept) == number), None)


def _found(record: Whole, words: str, owner: Owner | None) -> tuple[Found | None, bool]:
    """None where nothing can be searched just now, and whether that is because its shelves are being built anew."""
    for _try in range(_TRIES):
        try:
            return searches.of(record, words, owner=owner), False
        except Outdated:
            record = record.read_again()
        except VaultError:
            return None, False
    return None, True
