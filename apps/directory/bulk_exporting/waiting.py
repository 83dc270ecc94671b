"""Start an export, and wait until its files are ready, with patience for a busy or failing server."""

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
    """The server, our tokens for it, and how to wait."""

    server: FhirServer
    tokens: Tokens
    means: Means

    def patiently(self, ask: Callable[[], Result]) -> Result:
        """Call `ask` until the server no longer answers "later". Raises the last error."""
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
        """Start the export and return the URL of its status. `noted` surrounds each request. Raises WireError."""

        def ask(token: Secret) -> str:
            with noted():
                return export_jobs.kick_off(
                    self.server, access_token=token, group_id=wish.group_id, types=wish.types, since=wish.since
                )

        return self.patiently(lambda: self.tokens.using(ask))

    def manifest(self, status_url: str) -> Manifest:
        """Wait for the manifest, as long as it takes. Raises NotExported if there will be none, and WireError."""
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
        """Have the provider delete the export. Raises WireError."""
        self.patiently(
            lambda: self.tokens.using(lambda token: export_jobs.delete(self.server, status_url, access_token=token))
        )

    def _status(self, status_url: str) -> InProgress | Manifest:
        return self.tokens.using(lambda token: export_jobs.status(self.server, status_url, access_token=token))
