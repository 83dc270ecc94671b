"""One file of a record: fetched when its owner wants it, kept sealed, and shown without anything in it being run.

Inline content is read from the record itself. This is the entry point for callers.
"""

from apps.records.attachments.opening import OpenedFile, OpenedPicture, Seat, open_file, open_picture
from apps.records.attachments.refusals import FileRefused, NoSeat, Reason

__all__ = ["FileRefused", "NoSeat", "OpenedFile", "OpenedPicture", "Reason", "Seat", "open_file", "open_picture"]
