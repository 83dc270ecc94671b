"""The page of the wallet card."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from apps.accounts.current_user import current_user
from apps.records.subjects import LISTED, Subject
from apps.records.viewing import queries, wallet_card
from apps.records.viewing.opening import whole
from apps.records.views.trying import tried


@dataclass(frozen=True)
class Choice:
    """A subject, whether the card has it, and the address of the card with that changed; empty if it is the only
    one."""

    subject: Subject
    is_on: bool
    address: str

    @classmethod
    def of(cls, subject: Subject, wanted: Sequence[Subject], asked: QueryDict) -> "Choice":
        """`asked` also says whose card it is, which the address keeps."""
        others = [one.key for one in wallet_card.SUBJECTS if (one in wanted) != (one is subject)]
        query = QueryDict(mutable=True)
        query.setlist("on", others)
        query.update(queries.carried(asked, queries.PERSON))
        return cls(subject, subject in wanted, f"?{query.urlencode()}" if others else "")


@require_safe
@login_required
@cache_control(no_store=True, private=True)
def show_card(request: HttpRequest) -> HttpResponse:
    """Show the card, with what its reader wants on it."""
    user, now = current_user(request), timezone.now()
    wanted, owner = _wanted(request.GET), queries.person(request.GET)
    with whole.opened(user, wallet_card.SUBJECTS, session=request.session, at=now) as record:
        _all, chosen = record.of_one(owner)
        card = tried(record, lambda whole: wallet_card.of(whole, wanted, owner=owner))
        context = {
            "whole": record,
            "of_one": queries.kept(chosen),
            "card": card,
            "choices": [Choice.of(subject, wanted, request.GET) for subject in wallet_card.SUBJECTS],
            "subjects": LISTED,
            "now": now,
        }
        return render(request, "records/card.html", context)


def _wanted(query: QueryDict) -> tuple[Subject, ...]:
    """The requested subjects, or the usual ones if there are none."""
    asked = set(query.getlist("on"))
    return tuple(subject for subject in wallet_card.SUBJECTS if subject.key in asked) or wallet_card.USUAL
