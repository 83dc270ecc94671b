"""`bulk_export`: export the records of a whole group from one endpoint into files on this machine."""

import time
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.template.defaultfilters import pluralize
from django.utils import timezone

from apps.audit.recording import Actor
from apps.directory import bulk_exporting
from apps.directory.bulk_exporting import Limits, Means, NotExported, Report, Wish
from apps.directory.management import arguments, naming
from apps.directory.models import Endpoint
from apps.directory.system_access import NoSystemAccess
from apps.wire.errors import WireError

_ACTOR = Actor.system("bulk_export")
_WARNING = (
    "These files hold the health records of many people, in the clear. Keep them where nobody else can read them, and "
    "delete them once they are used."
)
_AGAIN = "The same command goes on where this one stopped."
_INTERRUPTED = 130  # as shells report it
_MB = 1_000_000


class Command(BaseCommand):
    """Run it by hand, for an organization that asked for it. Running the same command again continues where it
    stopped."""

    help = (
        "Export the records of everybody in a group (FHIR Bulk Data Access) into a folder, as NDJSON files that only "
        "you can read. Needs system access at the endpoint. The files are not encrypted: " + _WARNING
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """From where, of whom, and to where."""
        parser.add_argument(
            "--endpoint",
            required=True,
            metavar="URL",
            help="the endpoint: its FHIR base URL, or the whole name of its provider",
        )
        parser.add_argument(
            "--group", required=True, metavar="ID", type=arguments.given, help="the group whose records are exported"
        )
        parser.add_argument(
            "--output",
            required=True,
            type=Path,
            metavar="FOLDER",
            help="a new or empty folder, or the folder of an export that was stopped",
        )
        parser.add_argument("--types", default="", metavar="A,B", help="only these resource types")
        parser.add_argument("--since", default="", metavar="INSTANT", help="only what changed since this FHIR instant")
        limits = Limits()
        parser.add_argument(
            "--keep-free",
            type=_bytes,
            default=limits.keep_free_bytes,
            metavar="MB",
            help=f"how much of the disk stays free, whatever comes (default: {limits.keep_free_bytes // _MB})",
        )
        parser.add_argument(
            "--largest-file",
            type=_bytes,
            default=limits.largest_file_bytes,
            metavar="MB",
            help=f"the largest allowed file (default: {limits.largest_file_bytes // _MB})",
        )
        parser.add_argument(
            "--give-up", action="store_true", help="ask the provider to delete the export of this folder"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Progress goes to standard error, one line with the result to standard output."""
        endpoint = naming.endpoint(options["endpoint"])
        types = tuple(name for name in options["types"].split(",") if name)
        wish = Wish(endpoint.fhir_base_url, options["group"], types, options["since"])
        limits = Limits(keep_free_bytes=options["keep_free"], largest_file_bytes=options["largest_file"])
        means = Means(clock=timezone.now, wait=time.sleep, say=self._say, limits=limits)
        self._say(_WARNING)
        run = self._give_up if options["give_up"] else self._export
        try:
            run(endpoint, wish, options["output"], means)
        except (NotExported, NoSystemAccess) as refused:
            raise CommandError(str(refused)) from None
        except WireError as refused:
            raise CommandError(f"{refused} ({refused.code.value}) {_AGAIN}") from None
        except KeyboardInterrupt:
            raise CommandError(f"Stopped. {_AGAIN}", returncode=_INTERRUPTED) from None

    def _export(self, endpoint: Endpoint, wish: Wish, output: Path, means: Means) -> None:
        report = bulk_exporting.export(endpoint, wish, output, actor=_ACTOR, means=means)
        if report.not_granted:
            self._say(f"Not allowed to us, and missing: {', '.join(report.not_granted)}")
        if report.errors:
            self._say("The provider reports what went wrong in the files that begin with error.")
        self.stdout.write(_summary(report))
        self._say(_WARNING)

    def _give_up(self, endpoint: Endpoint, wish: Wish, output: Path, means: Means) -> None:
        bulk_exporting.give_up(endpoint, wish, output, actor=_ACTOR, means=means)
        self.stdout.write("Given up. The files that are here stay until you delete them.")

    def _say(self, line: str) -> None:
        self.stderr.write(line)


def _summary(report: Report) -> str:
    files = f"{report.files} file{pluralize(report.files)}, as of {report.transaction_time}"
    if report.was_complete:
        return f"Already complete: {files}"
    return f"Complete: {report.lines} resource{pluralize(report.lines)} in {files}"


def _bytes(megabytes: str) -> int:
    if not (megabytes.isascii() and megabytes.isdigit()):
        raise ArgumentTypeError("not a number of megabytes")
    return int(megabytes) * _MB
