"""A file of a share, for a visitor: its page, the file to save, and the pictures in it. It is shown as the owner's own
page shows it (`apps.records.attachments`), without a link to a page of theirs."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from apps.connections import clocks
from apps.connections.views import waiting_room
from apps.records.attachments import NoSeat, handing_out
from apps.sharing import shared_files
from apps.sharing.rate_limit import TooOften
from apps.sharing.shared_files import DoesNotOpen, FileRequest, NotHere, NotLetIn, NotOffered
from apps.sharing.views import visit_cookie
from apps.sharing.views.visitor_answers import over, private, too_often
from apps.sharing.visiting import Over
from apps.vault.errors import Shredded


@require_safe
@cache_control(no_store=True, private=True)
def show_file(request: HttpRequest, token: str, ticket: str) -> HttpResponse:
    """The page of a file: its text, or what it is and how to save it, or that it is not here or does not open."""

    def page() -> HttpResponse:
        try:
            shared = shared_files.open_file(_asked(request, token, ticket))
        except NoSeat:
            return waiting_room.come_again(request)
        except DoesNotOpen:
            return render(request, "sharing/file_does_not_open.html", {"token": token})
        except NotHere as reason:
            return render(request, "sharing/file_not_here.html", {"token": token, "not_here": reason})
        context = {"token": token, "file": shared.file, "provider": shared.provider}
        return render(request, "sharing/file.html", context)

    return _answer(request, token, page)


@require_safe
@cache_control(no_store=True, private=True)
def save_file(request: HttpRequest, token: str, ticket: str) -> HttpResponse:
    """The file, to save and not to show. If that is not possible, its page says so."""

    def saved() -> HttpResponse:
        return handing_out.of_file(shared_files.open_file(_asked(request, token, ticket)).file)

    return _answer_to_save(request, token, ticket, saved)


@require_safe
@cache_control(no_store=True, private=True)
def save_picture(request: HttpRequest, token: str, ticket: str, picture: int) -> HttpResponse:
    """A picture in a file, counted from 1, by the same rules as the file."""

    def saved() -> HttpResponse:
        return handing_out.of_picture(shared_files.open_picture(_asked(request, token, ticket), picture))

    return _answer_to_save(request, token, ticket, saved)


def _asked(request: HttpRequest, token: str, ticket: str) -> FileRequest:
    return FileRequest(token, ticket, visit_cookie.read(request), handing_out.seat_for, clocks.shared())


def _answer_to_save(request: HttpRequest, token: str, ticket: str, saved: Callable[[], HttpResponse]) -> HttpResponse:
    try:
        return _answer(request, token, saved)
    except (DoesNotOpen, NotHere, NoSeat):
        return private(redirect("shared_entry_file", token, ticket))


def _answer(request: HttpRequest, token: str, made: Callable[[], HttpResponse]) -> HttpResponse:
    try:
        return private(made())
    except NotLetIn:  # the page asks for the passcode
        return private(redirect("shared", token))
    except NotOffered:
        return private(render(request, "sharing/file_not_offered.html", {"token": token}, status=404))
    except TooOften:
        return too_often(request)
    except (Over, Shredded):
        return over(request)
