"""The privacy notice: to read, and to agree to."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """The notice in force, for anybody."""
    return render(request, "accounts/notice.html", {})
