"""One file of a record, fetched when its owner wants it, kept sealed, and shown inertly.

Inline content is read from the record itself. What callers use stands here.
"""

from apps.records.downloading.opening import OpenedFile, OpenedPicture, open_file, open_picture
from apps.records.downloading.refusals import FileRefused, Reason

__all__ = ["FileRefused", "OpenedFile", "OpenedPicture", "Reason", "open_file", "open_picture"]
