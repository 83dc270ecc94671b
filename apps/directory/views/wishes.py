"""Wish for a provider that cannot be connected or is not listed, and take that back."""

from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts import consenting
from apps.accounts.current_user import current_user
from apps.directory.models import Provider
from apps.directory.searching import wishing
from apps.directory.words import spelling


class UnlistedForm(forms.Form):
    """The name and city of a provider that is not in the list."""

    name = forms.CharField(label=gettext_lazy("Name of the provider"), max_length=200)
    city = forms.CharField(label=gettext_lazy("City (if you know it)"), max_length=100, required=False)

    def clean_name(self) -> str:
        """The name must contain something to search for."""
        name = str(self.cleaned_data["name"])
        if not spelling.plain(name):
            raise forms.ValidationError(_("Write the name with letters or digits."))
        return name


@login_required
@require_POST
def wish(request: HttpRequest) -> HttpResponse:
    """Store that this person wants this provider and is to be told when it works."""
    if consenting.needs_consent(current_user(request)):
        return redirect("agree")
    provider = get_object_or_404(Provider, pk=_uuid(request.POST.get("provider", "")), vanished_at__isnull=True)
    try:
        wishing.note(current_user(request), provider, at=timezone.now(), needs_sign_in="needs_sign_in" in request.POST)
    except wishing.TooManyWishes:
        messages.warning(request, _too_many())
    return _to_the_wishes()


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def wish_by_name(request: HttpRequest) -> HttpResponse:
    """Store a wish for a provider that no directory lists. The form is prefilled with the search."""
    if consenting.needs_consent(current_user(request)):
        return redirect(f"{reverse('agree')}?next={request.path}")
    if request.method != "POST":
        form = UnlistedForm(initial={"name": request.GET.get("name", "").replace("\x00", "")[:200]})
        return render(request, "directory/not_in_the_list.html", {"form": form})
    form = UnlistedForm(request.POST)
    if not form.is_valid():
        return render(request, "directory/not_in_the_list.html", {"form": form}, status=422)
    try:
        wishing.note_by_name(current_user(request), **form.cleaned_data, at=timezone.now())
    except wishing.TooManyWishes:
        messages.warning(request, _too_many())
    return _to_the_wishes()


@login_required
@require_POST
def take_back(request: HttpRequest, wish_id: UUID) -> HttpResponse:
    """Delete a wish of this person; another's is not touched."""
    wishing.take_back(current_user(request), wish_id)
    return _to_the_wishes()


def _uuid(unverified: str) -> UUID | None:
    try:
        return UUID(unverified)
    except ValueError:
        return None


def _too_many() -> str:
    return _("You have already asked for {most} providers. Take one off your list first.").format(
        most=wishing.MOST_OPEN
    )


def _to_the_wishes() -> HttpResponseRedirect:
    return HttpResponseRedirect(f"{reverse('find-provider')}#wishes")
