"""Download a file of an export into the folder: resumed after interruptions, its lines counted, and named once
complete."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from apps.directory.bulk_exporting.folder import Folder, Part
from apps.directory.bulk_exporting.means import asked_seconds
from apps.directory.bulk_exporting.refusals import NotExported, Reason
from apps.directory.bulk_exporting.remembering import Job, Listing, keyed
from apps.directory.bulk_exporting.waiting import MOST_FAILURES, Provider
from apps.wire.bulk import files
from apps.wire.bulk.counting_lines import LineCounter
from apps.wire.bulk.files import Arriving, Rest
from apps.wire.bulk.manifest import ListedFile, Manifest
from apps.wire.errors import AccessRefused, NotFound, RequestRefused, Unavailable, UnexpectedAnswer
from apps.wire.secret import Secret

MISCOUNTED = ".miscounted"
# Relative to the announced number. A few lines more are a mistake; such a file is kept for inspection.
_MOST_TIMES, _MORE_LINES = 2, 1_000


@dataclass
class Files:
    """The files of one export. `lines` is the number of lines in the complete ones."""

    provider: Provider
    folder: Folder
    job: Job
    manifest: Manifest
    lines: int = 0
    miscounted: list[str] = field(default_factory=list)
    _listed: Mapping[str, ListedFile] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._know(self.manifest)

    def fetch(self) -> None:
        """Download everything that is missing. Raises NotExported and WireError; what was received is kept."""
        for number, listing in enumerate(self.job.files, start=1):
            lines = _counted(self.folder, listing)
            if lines is None:
                lines = self._fetch(listing)
                self.provider.means.say(f"{number} of {len(self.job.files)}: {listing.name}, {lines} lines")
            self.lines += lines
        self.folder.settle()

    def _fetch(self, listing: Listing) -> int:
        """Download a file and return its number of lines. If that is not the announced number, it is downloaded once
        more before it is believed."""
        self.folder.remove(listing.name + MISCOUNTED)
        lines = self._arrived(listing)
        if listing.count not in {None, lines}:
            self.folder.note(listing.key, "")
            lines = self._arrived(listing)
        is_right = listing.count in {None, lines}
        self.folder.finish(listing.name + ("" if is_right else MISCOUNTED), listing.key)
        if not is_right:
            self.miscounted.append(listing.name)
        return lines

    def _arrived(self, listing: Listing) -> int:
        """Try until the file is complete. A try that received something resets the count of failures. Received bytes
        that do not fit are discarded once, and an address that no longer works is looked up again once."""
        failures, is_spoilt, is_looked_up = 0, False, False
        while True:
            before = self._received(listing)
            attempt = partial(self._try, listing, is_again=failures > 0)
            try:
                return self.provider.tokens.using(attempt)
            except Unavailable as later:
                failures = 1 if self._received(listing) > before else failures + 1
                if failures >= MOST_FAILURES:
                    raise
                self.provider.means.pause(failures, asked_seconds(later))
            except UnexpectedAnswer:
                if is_spoilt:
                    raise
                is_spoilt = True
                self.folder.note(listing.key, "")
            except (AccessRefused, NotFound, RequestRefused):
                if is_looked_up:
                    raise
                is_looked_up = True
                self._know(self.provider.manifest(self.job.status_url))

    def _received(self, listing: Listing) -> int:
        here = self.folder.partial()
        return here.received_bytes if here and here.key == listing.key else 0

    def _try(self, listing: Listing, token: Secret, *, is_again: bool) -> int:
        here = self.folder.partial()
        rest = None
        if here is not None and here.key == listing.key and here.received_bytes:
            rest = Rest(here.received_bytes, here.validator)
        file = self._listed[listing.key]
        with files.opening(
            self.provider.server, self.manifest, file, access_token=token, rest=rest, is_plain=is_again
        ) as arriving:
            if not arriving.starts_at and here is not None:
                self.folder.note(listing.key, "")  # discards what is here
            self.folder.note(listing.key, arriving.validator)
            with self.folder.part(starts_at=arriving.starts_at) as part:
                return _received(arriving, part, listing.count)

    def _know(self, manifest: Manifest) -> None:
        self.job.listed(manifest)
        self.manifest = manifest
        self._listed = keyed(manifest.files)


def _received(arriving: Arriving, part: Part, announced: int | None) -> int:
    """Append what arrives to what is there, and count the lines of both. Raises NotExported if it does not end."""
    counter = LineCounter()
    for piece in part.present():
        counter.feed(piece)
    for piece in arriving.pieces():
        counter.feed(piece)
        if announced is not None and counter.lines > _MOST_TIMES * announced + _MORE_LINES:
            raise NotExported(Reason.UNANNOUNCED)
        part.write(piece)
    return counter.finish()


def _counted(folder: Folder, listing: Listing) -> int | None:
    """The number of lines of a complete, unchanged file; None if it has to be downloaded."""
    if not folder.has(listing.name, listing.key):
        return None
    counter = LineCounter()
    try:
        for piece in folder.pieces(listing.name):
            counter.feed(piece)
        lines = counter.finish()
    except (NotExported, UnexpectedAnswer):
        return None
    return lines if listing.count in {None, lines} else None
