"""A complete export: requested, waited for, downloaded, and deleted at the provider; with its audit events."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from apps.audit import recording
from apps.audit.recording import Actor, EventType, Fact
from apps.directory import reaching, registering
from apps.directory.bulk_exporting import folder as folders
from apps.directory.bulk_exporting.downloading import Files
from apps.directory.bulk_exporting.folder import Folder
from apps.directory.bulk_exporting.means import Means
from apps.directory.bulk_exporting.refusals import NotExported, Reason
from apps.directory.bulk_exporting.remembering import Job, Wish
from apps.directory.bulk_exporting.tokens import Tokens
from apps.directory.bulk_exporting.waiting import Provider
from apps.directory.models import ClientRegistration, Endpoint
from apps.directory.system_access import NoSystemAccess
from apps.wire import scopes
from apps.wire.bulk.manifest import FileList
from apps.wire.dialects import FhirVersion
from apps.wire.errors import Code, RequestRefused, Unavailable, WireError
from apps.wire.resource_types import RESOURCE_TYPES
from apps.wire.scopes import SmartVersion

# Not exported, whatever is granted (interface facts 4.3).
_NEVER = frozenset({"Binary"})
_ACCEPTED = 202
_NOT_NOW = frozenset({408, 429, 503})  # nothing was started; after 500, 502 and 504 that is unknown
_UNKNOWN = (
    "An earlier try asked for this export at {at} and stopped without an answer to that. The provider may "
    "hold an export that nobody here can name: where it should not, ask them to delete it."
)


@dataclass
class Report:
    """The result. `not_granted` are the types that the provider did not allow, which are missing; `was_complete` if an
    earlier run had completed it, whose lines are not counted again."""

    files: int = 0
    lines: int = 0
    errors: int = 0
    not_granted: tuple[str, ...] = ()
    transaction_time: str = ""
    was_complete: bool = False


def export(endpoint: Endpoint, wish: Wish, output: Path, *, actor: Actor, means: Means) -> Report:
    """Export everything that is requested into files below `output`, starting or continuing.

    Call it with no transaction open. Records an audit event at its beginning and at its end, whatever the result.
    Raises NotExported, NoSystemAccess and WireError; calling it again continues.
    """
    if endpoint.fhir_version != FhirVersion.R4.value:
        raise NotExported(Reason.WRONG_VERSION)
    with folders.opened(output, means.limits) as folder:
        job = _known(folder, wish)
        if job.is_finished:
            return Report(files=len(job.files), transaction_time=job.transaction_time, was_complete=True)
        report = Report()
        with _written_down(endpoint, report, actor=actor, means=means):
            _go(endpoint, folder, job, report, means)
        return report


def give_up(endpoint: Endpoint, wish: Wish, output: Path, *, actor: Actor, means: Means) -> None:
    """Have the provider delete the export of this folder. Its files stay, and no other export can be started in the
    folder. Raises the same as `export`."""
    with folders.opened(output, means.limits) as folder:
        job = _known(folder, wish)
        report = Report()
        with _written_down(endpoint, report, actor=actor, means=means):
            if job.asked_at:
                means.say(_UNKNOWN.format(at=job.asked_at))
            if job.status_url:
                _provider(endpoint, wish, report, means).delete(job.status_url)
            if not job.is_finished:
                folder.keep(replace(job, status_url="", asked_at="", files=()).to_state())


def _known(folder: Folder, wish: Wish) -> Job:
    """The folder's export, which must be the one requested; a new one in an empty folder."""
    state = folder.state()
    if state is None:
        job = Job(wish)
        folder.keep(job.to_state())
        return job
    job = Job.from_state(state)
    if job.wish != wish:
        raise NotExported(Reason.ANOTHER_EXPORT)
    return job


def _go(endpoint: Endpoint, folder: Folder, job: Job, report: Report, means: Means) -> None:
    if not job.files and folder.has_others():  # of another point in time
        raise NotExported(Reason.LEFT_FILES)
    folder.check_room()
    provider = _provider(endpoint, job.wish, report, means)
    if job.wish.types and report.not_granted:
        raise NotExported(Reason.NOT_GRANTED)
    if not job.status_url:
        job = _begun(folder, job, provider, means)
    manifest = provider.manifest(job.status_url)
    job = job.listed(manifest)
    if folder.has_others({listing.name for listing in job.files}):
        raise NotExported(Reason.LEFT_FILES)
    folder.keep(job.to_state())
    report.transaction_time = job.transaction_time
    report.errors = sum(file.kind is FileList.ERROR for file in manifest.files)
    fetched = Files(provider, folder, job, manifest)
    try:
        fetched.fetch()
    finally:
        report.lines = fetched.lines
        report.files = sum(folder.has(listing.name, listing.key) for listing in job.files)
    if fetched.miscounted:
        raise NotExported(Reason.MISCOUNTED)
    provider.delete(job.status_url)
    folder.keep(replace(job, status_url="", is_finished=True).to_state())


def _begun(folder: Folder, job: Job, provider: Provider, means: Means) -> Job:
    """Start the export; the address of its status is stored at once."""
    if job.asked_at:
        means.say(_UNKNOWN.format(at=job.asked_at))
    status_url = provider.kick_off(job.wish, noted=lambda: _noted(folder, job, means))
    job = replace(job, status_url=status_url, asked_at="")
    folder.keep(job.to_state())
    means.say("The provider accepted the export.")
    return job


@contextmanager
def _noted(folder: Folder, job: Job, means: Means) -> Iterator[None]:
    """Stored before each request for an export, and removed if the request cannot have started one. If the process is
    killed meanwhile, or the response is lost, the provider has an export that we cannot name, and the next run says
    so."""
    before = folder.state() or job.to_state()
    folder.keep({**before, "asked_at": before.get("asked_at") or means.clock().isoformat(timespec="seconds")})
    try:
        yield
    except WireError as refused:
        if not _may_have_begun(refused):
            folder.keep(before)
        raise


def _may_have_begun(refused: WireError) -> bool:
    """Whether the provider may have started an export although the request failed: no response came, or an error of a
    server that failed midway; or it accepted, and named an address that we do not connect to."""
    if isinstance(refused, Unavailable):
        return refused.was_sent and refused.status not in _NOT_NOW
    is_sent = not isinstance(refused, RequestRefused) and refused.code is not Code.UNTRUSTED_CERTIFICATE
    return is_sent and refused.status in {None, _ACCEPTED}


def _provider(endpoint: Endpoint, wish: Wish, report: Report, means: Means) -> Provider:
    registration = registering.standing_at(endpoint)
    types = wish.types or tuple(name for name in RESOURCE_TYPES[FhirVersion.R4] if name not in _NEVER)
    tokens = Tokens(endpoint, [_scope(name, registration) for name in types], means.clock)
    missing = scopes.missing([_scope(name, registration) for name in types], tokens.granted)
    report.not_granted = tuple(name for name in types if _scope(name, registration) in missing)
    return Provider(reaching.fhir_server(endpoint, registration), tokens, means)


def _scope(resource_type: str, registration: ClientRegistration | None) -> str:
    is_v1 = registration is not None and registration.smart_version == SmartVersion.V1
    return f"system/{resource_type}.{'read' if is_v1 else 'rs'}"


@contextmanager
def _written_down(endpoint: Endpoint, report: Report, *, actor: Actor, means: Means) -> Iterator[None]:
    """Record who exported many people's records from where, and how many lines: at the beginning, and whatever the
    result."""
    recording.record(
        EventType.BULK_EXPORT_STARTED,
        actor=actor,
        at=means.clock(),
        subject="endpoint",
        subject_id=str(endpoint.pk),
    )
    outcome, code = "stopped", ""
    try:
        yield
        outcome = "complete"
    except WireError as refused:
        code = refused.code.value
        raise
    except NotExported as refused:
        code = refused.reason.name.lower()
        raise
    except NoSystemAccess:
        code = "no_system_access"
        raise
    finally:
        facts: dict[str, str | int | bool] = {Fact.OUTCOME: outcome, Fact.COUNT: report.files, Fact.ROWS: report.lines}
        if code:
            facts[Fact.CODE] = code
        recording.record(
            EventType.BULK_EXPORT_FINISHED,
            actor=actor,
            at=means.clock(),
            subject="endpoint",
            subject_id=str(endpoint.pk),
            facts=facts,
        )
