"""Find your provider, and choose how its record is read."""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from apps.accounts import consenting
from apps.accounts.current_user import current_user
from apps.directory import searching
from apps.directory.models import Provider


@login_required
@require_safe
def find(request: HttpRequest) -> HttpResponse:
    """Search by name, city or website. Works without script; with it, results follow the typing."""
    query = request.GET.get("q", "").replace("\x00", "").strip()
    is_part = request.headers.get("HX-Request") == "true"
    at = timezone.now()
    context = {
        "query": query,
        "results": searching.find(query, at=at),
        "practice_providers": () if query else searching.practice_providers(at=at),
        "is_part": is_part,
    }
    return render(request, "directory/results.html" if is_part else "directory/find.html", context)


@login_required
@require_safe
def choose_version(request: HttpRequest, provider_id: UUID) -> HttpResponse:
    """Which FHIR version, in words; skipped where there is only one. The choice leads to the page before you go."""
    if consenting.needs_consent(current_user(request)):
        return redirect(f"{reverse('agree')}?next={request.path}")
    provider = get_object_or_404(Provider, pk=provider_id, vanished_at__isnull=True)
    found = searching.with_choices(provider, at=timezone.now())
    chosen = [choice for choice in found.linkable if str(choice.endpoint.pk) == request.GET.get("endpoint")]
    if not chosen and len(found.linkable) == 1:
        chosen = list(found.linkable)
    if chosen:
        return redirect("before-you-go", provider_id=provider.pk, endpoint_id=chosen[0].endpoint.pk)
    return render(request, "directory/choose_version.html", {"found": found})
