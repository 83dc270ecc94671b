"""A file as a response that is to be saved: whatever it is, a browser that opens it runs nothing in it, and loads and
sends nothing."""

from typing import Final

from django.http import HttpResponse
from django.utils.http import content_disposition_header

from apps.connections.views import waiting_room
from apps.records.attachments.opening import OpenedFile, OpenedPicture, Seat
from apps.records.models import Record

_INERT: Final = "sandbox; default-src 'none'"


def of_file(file: OpenedFile) -> HttpResponse:
    """The file; of markup, only its text."""
    content_type = file.file_type.media_type if file.reading is None else "text/plain; charset=utf-8"
    return _inert(file.handed_out, content_type, file.name)


def of_picture(picture: OpenedPicture) -> HttpResponse:
    """A picture in a file."""
    return _inert(picture.content, picture.file_type.media_type, picture.name)


def seat_for(record: Record) -> Seat:
    """The seat for a record's endpoint. Seats are limited by endpoint, since one that does not answer holds a thread
    for a minute or more, whoever wants a file from it."""
    return lambda: waiting_room.ROOM.seat(record.connection.endpoint_id)


def _inert(content: bytes, content_type: str, name: str) -> HttpResponse:
    response = HttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=name)
    response["Content-Security-Policy"] = _INERT
    response["X-Content-Type-Options"] = "nosniff"
    return response
