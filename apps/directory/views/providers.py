"""Find your provider, and choose how its record is read."""

from collections.abc import Sequence
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from apps.accounts import consenting
from apps.accounts.current_user import current_user
from apps.directory.models import Provider
from apps.directory.monitoring import link_statistics
from apps.directory.searching import finding, wishing
from apps.directory.searching.choices import SignIn
from apps.directory.searching.finding import FoundProvider

_MOST_PORTALS = 20


@login_required
@require_safe
def find(request: HttpRequest) -> HttpResponse:
    """Search by name, city or website. Works without script; with it, results follow the typing, and so does the page's
    URL, so that the back button returns to the search."""
    query = request.GET.get("q", "").replace("\x00", "").strip()
    is_whole = request.headers.get("HX-Request") != "true" or "HX-History-Restore-Request" in request.headers
    at = timezone.now()
    shown = _shown(request.GET.get("shown", ""))
    user = current_user(request)
    context = {
        "query": query,
        "results": finding.find(query, at=at, shown=shown, user_id=user.pk),
        "more": shown + finding.PAGE,
        "first_new": shown - finding.PAGE + 1 if shown > finding.PAGE else None,
        "practice_providers": () if query else finding.practice_providers(at=at),
        "wishes": () if query else wishing.of_user(user, at=at),
        "is_part": not is_whole,
    }
    return render(request, "directory/find.html" if is_whole else "directory/results.html", context)


@login_required
@require_safe
def choose_version(request: HttpRequest, provider_id: UUID) -> HttpResponse:
    """Choose the patient portal, then the FHIR version; each is skipped if there is only one. The choice leads to
    "before you go"."""
    if consenting.needs_consent(current_user(request)):
        return redirect(f"{reverse('agree')}?next={request.path}")
    provider = get_object_or_404(Provider, pk=provider_id, vanished_at__isnull=True)
    at, is_alone = timezone.now(), "only" in request.GET
    finds = finding.alone if is_alone else finding.with_choices
    found = finds(provider, at=at, user_id=current_user(request).pk)
    chosen = [choice for choice in found.linkable if str(choice.endpoint.pk) == request.GET.get("endpoint")]
    portal = _portal(found.sign_ins, request.GET.get("portal", ""))
    if not chosen and portal and len(portal.linkable) == 1:
        chosen = list(portal.linkable)
    if chosen:
        return redirect("before-you-go", provider_id=chosen[0].provider.pk, endpoint_id=chosen[0].endpoint.pk)
    if found.explanation:
        return render(request, "directory/no_way.html", {"found": found})
    if portal is None:
        return render(request, "directory/choose_portal.html", {**_portals_to_choose(found), "is_alone": is_alone})
    ways = [
        (choice, portal.name_of(choice), link_statistics.words(choice.endpoint, at=at)) for choice in portal.linkable
    ]
    closed = [(portal.name_of(choice), choice.explanation) for choice in portal.choices if choice.explanation]
    context = {"found": found, "portal": portal, "ways": ways, "closed": closed, "is_alone": is_alone}
    return render(request, "directory/choose_version.html", context)


@login_required
@require_safe
def one_by_one(request: HttpRequest, provider_id: UUID) -> HttpResponse:
    """All rows with one name and place, individually and page by page, if there are more than one page of choices
    shows."""
    provider = get_object_or_404(Provider, pk=provider_id, vanished_at__isnull=True)
    number = _number(request.GET.get("page", ""))
    page = finding.one_by_one(provider, page=number, at=timezone.now(), user_id=current_user(request).pk)
    context = {"provider": provider, "page": page, "before": number - 1, "after": number + 1 if page.has_more else 0}
    return render(request, "directory/one_by_one.html", context)


def _number(unverified: str) -> int:
    """A page number, from 1."""
    is_number = unverified.isascii() and unverified.isdigit() and len(unverified) < 6
    return max(int(unverified), 1) if is_number else 1


def _portals_to_choose(found: FoundProvider) -> dict[str, object]:
    """Those that can be linked, and those that cannot, with the reason; of each only as many as somebody would read."""
    open_ones = [one for one in found.sign_ins if one.linkable]
    closed = [one for one in found.sign_ins if not one.linkable]
    return {
        "found": found,
        "portals": open_ones[:_MOST_PORTALS],
        "closed": closed[:_MOST_PORTALS],
        "has_more": found.is_cut or max(len(open_ones), len(closed)) > _MOST_PORTALS,
    }


def _portal(sign_ins: Sequence[SignIn], unverified_key: str) -> SignIn | None:
    """The chosen one, or the only one."""
    linkable = [one for one in sign_ins if one.linkable]
    chosen = [one for one in linkable if one.key == unverified_key] or linkable
    return chosen[0] if len(chosen) == 1 else None


def _shown(unverified: str) -> int:
    """How many results to show: whole pages."""
    number = int(unverified) if unverified.isascii() and unverified.isdigit() and len(unverified) < 4 else 0
    return min(max(finding.PAGE, number - number % finding.PAGE), finding.MOST_SHOWN)
