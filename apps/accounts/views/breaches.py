"""What somebody is told who may have lost the privacy of their record."""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone, translation
from django.views.decorators.http import require_http_methods

from apps.accounts import breaches
from apps.accounts.current_user import current_user
from apps.accounts.models import BreachNotice


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def show(request: HttpRequest, notice_id: UUID) -> HttpResponse:
    """The words of one breach. Sending the form says that they were read."""
    user = current_user(request)
    notice = get_object_or_404(BreachNotice.objects.select_related("breach"), pk=notice_id, user=user)
    if request.method == "POST":
        breaches.mark_read(user, notice.pk, at=timezone.now())
        return redirect("home")
    words = notice.breach.words_in(translation.get_language() or "")
    return render(request, "accounts/breach.html", {"notice": notice, "words": words})
