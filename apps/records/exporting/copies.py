"""The copy as received: an archive with a folder for each source, in one of two forms.

The first file says in words what this is, where it came from and what is missing; the last one (`archives.CONTENTS`)
proves that the archive is complete. File names say nothing about the person, and name no provider: folders are
numbered.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from django.db.models import QuerySet, Sum
from django.db.models.functions import Length
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.connections.authorization_responses.candidates import Candidate
from apps.records import counts
from apps.records.exporting import archives, attached_files, bundles, ndjson, stored, streaming
from apps.records.exporting.added_resources import Count
from apps.records.exporting.archives import File
from apps.records.exporting.gaps import Gaps
from apps.records.exporting.stored import Source
from apps.records.models import Record, RecordVersion

# A stored body is compressed: to a third or an eighth is usual, and repetitive text may become even smaller. If the
# factor is too high, an archive uses Zip64 needlessly; if it is too low, the download breaks off.
_INFLATES = 64


class Form(StrEnum):
    """The form in which the record is written."""

    BUNDLE = "bundle"
    LINES = "ndjson"


@dataclass(frozen=True, repr=False)
class Part:
    """One source of a copy, what it lacks, and whose record it is, if known."""

    source: Source
    gaps: Gaps
    whose: Candidate | None = None


def copy(parts: Sequence[Part], form: Form, *, at: datetime) -> Iterator[bytes]:
    """The archive, piece by piece, in the language that is active now, whenever it is read.

    Raises, possibly midway, `apps.vault.errors.VaultError` if nothing of this person can be opened, and
    `stored.DeletedMeanwhile`: the archive is then incomplete, and has no list of contents.
    """
    return streaming.as_asked(archives.archive(_files(parts, form, at=at), at=at))


def _files(parts: Sequence[Part], form: Form, *, at: datetime) -> Iterator[File]:
    first = _("read-me-first.txt")  # the only name that is meant for people
    yield File(first, (explanation(parts, form, at=at).encode(),))
    for part in parts:
        yield from (_bundle_files(part, at) if form is Form.BUNDLE else _line_files(part))
        stored.ensure_held(part.source)  # after the last file, since each of them reads the record separately


def _bundle_files(part: Part, at: datetime) -> Iterator[File]:
    source = part.source
    pieces = bundles.bundle(source, stored.rows(source), missing=part.gaps.sentences(), at=at)
    yield File(f"{source.folder}/bundle.json", pieces, largest=_largest_of_records(source))
    count = Count()
    yield from _earlier_files(source, count)
    yield from attached_files.files(source, count)
    if count.oddities:
        yield File(f"{source.folder}/remarks.ndjson", ndjson.remarks(source, part.gaps.sentences(), count))


def _line_files(part: Part) -> Iterator[File]:
    source, count = part.source, Count()
    resources = ndjson.resources(source, stored.rows(source), count)
    yield File(f"{source.folder}/resources.ndjson", resources, largest=_largest_of_records(source))
    yield File(f"{source.folder}/provenance.ndjson", ndjson.provenance(source, stored.headings(source)))
    yield from _earlier_files(source, count)
    yield from attached_files.files(source, count)
    yield File(f"{source.folder}/remarks.ndjson", ndjson.remarks(source, part.gaps.sentences(), count))


def _earlier_files(source: Source, count: Count) -> Iterator[File]:
    versions = RecordVersion.objects.filter(user_id=source.user_id, record__connection_id=source.connection_id)
    if versions.exists():
        earlier = ndjson.earlier(source, stored.earlier(source), count)
        yield File(f"{source.folder}/earlier-versions.ndjson", earlier, largest=_largest(versions))


def _largest_of_records(source: Source) -> int:
    return _largest(Record.objects.filter(user_id=source.user_id, connection_id=source.connection_id))


def _largest(rows: QuerySet[Record] | QuerySet[RecordVersion]) -> int:
    sealed = rows.aggregate(octets=Sum(Length("sealed_body"), default=0))["octets"]
    return int(sealed) * _INFLATES


def explanation(parts: Sequence[Part], form: Form, *, at: datetime) -> str:
    """The text of the first file."""
    said = [
        _("A copy of health records, made by Holdfast for the person who asked for it."),
        _("Made on: %(date)s") % {"date": _written(at)},
        _("It holds health facts. Keep it only on a device you trust."),
        *(_how_it_is_written(form)),
    ]
    for part in parts:
        said += ["", *_about(part)]
    said += ["", _("contents.json, the last file, lists all others with their sizes and SHA-256 sums.")]
    said += [_("If it is missing, the download was cut short. Please download again.")]
    return "\n".join(said) + "\n"


def _about(part: Part) -> Iterable[str]:
    source = part.source
    yield f"{source.folder}: {source.provider}"
    if part.whose and (name := " ".join(part.whose.name.split())):
        yield "  " + _("Record of %(person)s") % {"person": name}
    yield f"  {source.base_url} (FHIR {source.version.upper()})"
    count = source.held.count
    yield "  " + ngettext("%(count)s entry is here.", "%(count)s entries are here.", count) % {
        "count": counts.grouped(count)
    }
    if source.checked_at is None:
        yield "  " + _("We cannot tell how current this is.")
    else:
        yield "  " + _("Checked: %(date)s") % {"date": _written(source.checked_at)}
    if part.gaps.is_arriving:
        yield "  " + _("This record was still arriving when the copy was made.")
    yield "  " + (_("Missing:") if part.gaps.missing else _("Nothing is missing, as far as we know."))
    for subjects, sentence in part.gaps.alike():
        yield f"  - {subjects}: {sentence}"


def _how_it_is_written(form: Form) -> Iterable[str]:
    yield _(
        "Every entry is here byte for byte as the provider sent it. Withdrawn ones are included, with their status."
    )
    yield _("If a provider changed its version of FHIR, what it no longer has is in the version in which it came.")
    if form is Form.BUNDLE:
        yield _("bundle.json is one FHIR Bundle. Its Provenance entries say when each entry came.")
        yield _("Its last entry counts them, and names what could not be opened or read.")
    else:
        yield _("resources.ndjson has one entry a line. Only line breaks between values were removed.")
        yield _("provenance.ndjson says when each entry came.")
        yield _("remarks.ndjson says what is missing, counts the entries, and names what could not be opened or read.")
    yield _("earlier-versions.ndjson, if there is one, has what entries said before the provider changed them.")
    yield _("The folder named files, if there is one, has the files you opened here, as the provider sent them.")
    yield _("files.ndjson says which entry each belongs to. Files at the provider that you never opened are not here.")


def _written(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
