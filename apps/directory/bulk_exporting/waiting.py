"""Starting an export, and waiting until its files are ready. Patient with a server that is busy or not well."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TypeVar

from apps.directory.bulk_exporting.means import Means, asked_seconds
from apps.directory.bulk_exporting.refusals import NotExported, Reason
from apps.directory.bulk_exporting.remembering import Wish
from apps.directory.bulk_exporting.tokens import Tokens
from apps.wire.bulk import export_jobs
from apps.wire.bulk.export_jobs import ExportFailed, InProgress
from apps.wire.bulk.manifest import Manifest
from apps.wire.errors import NotFound, Unavailable
from apps.wire.fhir import FhirServer
from apps.wire.secret import Secret

MOST_FAILURES = 10
Result = TypeVar("Result")


@dataclass(frozen=True)
class Provider:
    """The server, our tokens for it, and how we wait."""

    server: FhirServer
    tokens: Tokens
    means: Means

    def patiently(self, ask: Callable[[], Result]) -> Result:
        """What `ask` gives, after so many pauses as a server that answers "later" needs; raises what it raises last."""
        failures = 0
        while True:
            try:
                return ask()
            except Unavailable as later:
                failures += 1
                if failures >= MOST_FAILURES:
                    raise
                waited = self.means.pause(failures, asked_seconds(later))
                self.means.say(f"The provider is busy or did not answer; asked again after {waited:.0f} s.")

    def kick_off(self, wish: Wish, *, noted: Callable[[], AbstractContextManager[None]]) -> str:
        """Where the status of the export is asked, once the provider accepts it. `noted` surrounds each request for it.
        Raises WireError."""

        def ask(token: Secret) -> str:
            with noted():
                return export_jobs.kick_off(
                    self.server, access_token=token, group_id=wish.group_id, types=wish.types, since=wish.since
                )

        return self.patiently(lambda: self.tokens.using(ask))

    def manifest(self, status_url: str) -> Manifest:
        """The list of files, waited for as long as it takes. Raises NotExported where there will be none, and
        WireError."""
        looks = 0
        while True:
            try:
                found = self.patiently(lambda: self._status(status_url))
            except ExportFailed:
                raise NotExported(Reason.FAILED) from None
            except NotFound:
                raise NotExported(Reason.GONE) from None
            if isinstance(found, Manifest):
                return found
            waited = self.means.pause(looks, found.retry_after_seconds)
            looks += 1
            self.means.say(f"In progress{f': {found.said}' if found.said else ''}; looked again after {waited:.0f} s.")

    def delete(self, status_url: str) -> None:
        """The provider lets go of the export. Raises WireError."""
        self.patiently(
            lambda: self.tokens.using(lambda token: export_jobs.delete(self.server, status_url, access_token=token))
        )

    def _status(self, status_url: str) -> InProgress | Manifest:
        return self.tokens.using(lambda token: export_jobs.status(self.server, status_url, access_token=token))
