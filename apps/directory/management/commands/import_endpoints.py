"""`import_endpoints FILE…`: load or refresh a directory of providers."""

import time
from argparse import ArgumentParser
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.template.defaultfilters import pluralize
from django.utils import timezone

from apps.audit.recording import Actor
from apps.directory import reaching
from apps.directory.importing import list_identity
from apps.directory.importing.list_identity import AnotherList
from apps.directory.importing.lists import Source, Wishes, import_lists
from apps.directory.importing.reporting import Report
from apps.directory.list_formats.elements import Broken
from apps.directory.list_formats.guarding import Guard
from apps.directory.list_formats.rows import NotADirectory
from apps.directory.list_formats.terms import Terms
from apps.directory.list_formats.texts import on_one_line
from apps.wire.dialects import FhirVersion, Interface

_PATIENCE_SECONDS = 2.0  # before the first line of progress, and between two


class Command(BaseCommand):
    """Run it after a list of providers changed; running it again changes nothing."""

    help = (
        "Import providers and endpoints from lists: our own format holdfast-directory/1, FHIR Bundles of "
        "Endpoint and Organization, SMART user-access brands, plain lists of vendors (compressed with gzip or "
        "not), or the list that says where lists are published. Safe to repeat: what is no longer listed is "
        "marked as vanished, and never deleted. A directory keeps to its list: another list under the same name "
        "is refused. Exits with 1 if a file or a row was refused, or if so little of the directory is still "
        "listed that nothing was marked."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Files, and what lists do not say themselves."""
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument("--dry-run", action="store_true", help="do everything, report it, and roll it back")
        parser.add_argument(
            "--directory",
            default="",
            help="the name of the directory, the same each time; all files together form it. Without this option, each "
            "file is a directory of its own, named as it names itself, or else by its file name",
        )
        parser.add_argument(
            "--interface",
            choices=[interface.value for interface in Interface],
            default=Interface.SMART.value,
            help="the interface of the endpoints, if the list does not say it (default: smart)",
        )
        parser.add_argument(
            "--fhir-version",
            choices=[version.value for version in FhirVersion],
            help="the version of endpoints for which neither list nor address states one; without it they are refused",
        )
        parser.add_argument(
            "--accept-shrinking",
            action="store_true",
            help="mark vanished rows even if less than half of the directory is still listed",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print a line for each of the first thousand refused rows, then a summary."""
        paths: list[Path] = options["files"]
        together = [paths] if options["directory"] else [[path] for path in paths]
        if len(together) > 1:
            self._check_names(paths, options)
        reports = [self._import(some, options) for some in together]
        if any(report.refused for report in reports):
            raise CommandError("Some rows were refused.", returncode=1)
        if any(report.spared for report in reports):
            raise CommandError("A list has shrunk: nothing was marked as vanished.", returncode=1)

    def _check_names(self, paths: list[Path], options: dict[str, Any]) -> None:
        """Raises CommandError if two files would be the same directory, and each would mark the other's rows as
        vanished."""
        paths_of: dict[str, list[Path]] = {}
        for path in paths:
            paths_of.setdefault(self._directory_of(path, options), []).append(path)
        for directory, alike in paths_of.items():
            if len(alike) > 1:
                names = ", ".join(_shown(str(path)) for path in alike)
                raise CommandError(
                    f'{names} would each be the directory "{directory}", and nothing was stored. Import them one by '
                    "one and name each with --directory; or, where they are parts of one list, all with one --directory"
                )

    def _directory_of(self, path: Path, options: dict[str, Any]) -> str:
        if not path.is_file():  # a pipe, which can be read only once, or nothing
            return _stem(path)
        try:
            with path.open("rb") as file:
                return list_identity.name_of(_stem(path), file, self._terms(options))
        except OSError:
            return _stem(path)

    def _terms(self, options: dict[str, Any]) -> Terms:
        version = options["fhir_version"]
        return Terms(
            guard=Guard(reaching.address_policy()),
            interface=Interface(options["interface"]),
            fhir_version=FhirVersion(version) if version else None,
        )

    def _import(self, paths: list[Path], options: dict[str, Any]) -> Report:
        terms = self._terms(options)
        wishes = Wishes(on_one_line(options["directory"])[:120], options["accept_shrinking"], options["dry_run"])
        at, actor = timezone.now(), Actor.system("import_endpoints")
        name = ", ".join(_name(path) for path in paths)
        try:
            with ExitStack() as stack:
                sources = [Source(_stem(path), stack.enter_context(path.open("rb"))) for path in paths]
                report = import_lists(sources, terms=terms, wishes=wishes, actor=actor, at=at, tell=self._teller())
        except OSError as error:
            raise CommandError(f"{name} cannot be read: {error.strerror or 'the file is damaged'}") from None
        except AnotherList as fault:
            otherwise = "; if it replaces what is there, repeat with --accept-shrinking" if fault.is_replaceable else ""
            raise CommandError(
                f"{name} was not imported: {fault}. Nothing was stored. Give this list another name with --directory"
                f"{otherwise}"
            ) from None
        except (NotADirectory, Broken) as fault:
            raise CommandError(f"{name} is no list that can be imported: {fault}. Nothing was stored.") from None
        self._say(report, name if len(options["files"]) > 1 else "", is_rehearsal=wishes.is_rehearsal)
        return report

    def _teller(self) -> Any:
        said_at = time.monotonic()

        def tell(rows: int) -> None:
            nonlocal said_at
            if time.monotonic() - said_at > _PATIENCE_SECONDS:
                said_at = time.monotonic()
                self.stderr.write(f"{rows:,} row{pluralize(rows)} read …")

        return tell

    def _say(self, report: Report, name: str, *, is_rehearsal: bool) -> None:
        for refusal in report.refusals:
            self.stderr.write(f"refused {refusal.where}: {refusal.reason}")
        if report.refused > len(report.refusals):
            for reason, number in report.reasons.most_common():
                self.stderr.write(f"refused in all, {number:,} row{pluralize(number)}: {reason}")
        for url in report.waiting:
            self.stderr.write(f"switched off until staff switch it on: {url}")
        for url in report.parted:
            self.stderr.write(f"signs people in elsewhere now, where we are not registered: {url}")
        if report.spared:
            rows_were = f"row{pluralize(report.spared)} {pluralize(report.spared, 'was,were')}"
            self.stderr.write(
                f'less than half of what the directory "{report.directory}" held is still listed: {report.spared:,} '
                f"{rows_were} not marked as vanished. If the list is complete, repeat with --accept-shrinking; if it "
                "is another list, give it another name with --directory"
            )
        providers, endpoints = f"provider{pluralize(report.providers)}", f"endpoint{pluralize(report.endpoints)}"
        lists = f"published list{pluralize(report.published_lists)}"
        summary = [
            f'directory "{report.directory}"',
            f"{report.providers} {providers} ({report.providers_new} new, {report.providers_changed} changed)",
            f"{report.endpoints} {endpoints} ({report.endpoints_new} new, {report.endpoints_changed} changed)",
            f"{report.published_lists} {lists}" if report.published_lists else "",
            f"{report.inactive} out of use" if report.inactive else "",
            f"{report.vanished} vanished",
            f"{report.refused} refused",
            "all taken back" if is_rehearsal else "",
        ]
        self.stdout.write((f"{name}: " if name else "") + ", ".join(part for part in summary if part))


def _name(path: Path) -> str:
    """The file's name as it can be shown."""
    return _shown(path.name)[:200]


def _shown(text: str) -> str:
    return on_one_line(text.encode("utf-8", "replace").decode())


def _stem(path: Path) -> str:
    """The name without extensions: a compressed list is the same list."""
    name = _name(path)
    return next((name.removesuffix(end) for end in (".json.gz", ".json", ".gz") if name.endswith(end)), name)[:120]
