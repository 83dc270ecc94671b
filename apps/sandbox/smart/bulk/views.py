"""The endpoints of an export, below a FHIR root and in the storage behind it."""

import gzip
import hashlib
import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import wraps

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.http import http_date

from apps.sandbox import clock, scenarios
from apps.sandbox.fhir import refusing
from apps.sandbox.fhir.media_types import NotAcceptable
from apps.sandbox.fhir.refusing import Refusal
from apps.sandbox.smart import addresses, system_tokens
from apps.sandbox.smart.addresses import Place
from apps.sandbox.smart.bulk import asked, files, jobs, storage
from apps.sandbox.smart.bulk.jobs import Job
from apps.sandbox.smart.data import admitting, bearer_tokens
from apps.sandbox.smart.data.permissions import SystemPermissions

_NDJSON = "application/fhir+ndjson"
_RANGE = re.compile(r"bytes=([0-9]{1,15})-")
View = Callable[..., HttpResponse]


def _below_root(*methods: str) -> Callable[[View], View]:
    """Decorate a view below an R4 root of a tenant that is not suspended, for systems only; turns its exceptions into
    responses."""

    def decorate(view: View) -> View:
        @wraps(view)
        def wrapper(request: HttpRequest, host: str, version: str, tenant: str, **parts: str) -> HttpResponse:
            try:
                place = Place(host, version, tenant)
                _check(request, place, parts.pop("below", ""), methods)
                answer = view(request, place, _system(request, place), **parts)
            except NotAcceptable:
                answer = refusing.not_acceptable()
            except Refusal as refusal:
                answer = refusing.answer(refusal, version, "smart_refusals")
            answer["Cache-Control"] = "no-store"
            return answer

        return wrapper

    return decorate


def _check(request: HttpRequest, place: Place, below: str, methods: tuple[str, ...]) -> None:
    if not admitting.is_open(place.tenant):
        raise bearer_tokens.inaccessible()
    if below != addresses.below_tenant() or place.version != "r4":
        raise Refusal(404, "not-found", "There is nothing here")
    if request.method not in methods:
        raise Refusal(405, "not-supported", "This is not done here")


def _system(request: HttpRequest, place: Place) -> SystemPermissions:
    access = bearer_tokens.access_from(request, place)
    if not isinstance(access, SystemPermissions):
        raise Refusal(403, "forbidden", "An export is for systems")
    return access


@_below_root("GET")
def export(request: HttpRequest, place: Place, access: SystemPermissions, group_id: str) -> HttpResponse:
    """The kick-off: 202, with the URL of the status."""
    wanted, at = asked.read(request, access, group_id), clock.now()
    account_id = system_tokens.read(request.META["HTTP_AUTHORIZATION"].split(" ", 1)[1].strip()).account_id
    address = f"{settings.SANDBOX_ORIGIN}{request.get_full_path()}"
    try:
        job = jobs.begin(account_id, place, group_id, wanted.types, since=wanted.since, request=address,
                         polls=int(scenarios.chosen("bulk_polls")), at=at)  # fmt: skip
    except jobs.Busy:
        answer = refusing.answer(
            Refusal(429, "throttled", "Another export is running"), place.version, "smart_refusals"
        )
        answer["Retry-After"] = "2"
        return answer
    answer = HttpResponse(status=202)
    answer["Content-Location"] = f"{place.root}bulk-export/jobs/{job.id}"
    return answer


@_below_root("GET", "DELETE")
def status(request: HttpRequest, place: Place, _access: SystemPermissions, job_id: str) -> HttpResponse:
    """How far it is, its result, or its deletion."""
    at = clock.now()
    job = _job(job_id, place, at)
    if request.method == "DELETE":
        jobs.remove(job)
        return HttpResponse(status=202)
    if scenarios.chosen("bulk_pace") == "kept" and at < job.next_poll_at:
        answer = refusing.answer(Refusal(429, "throttled", "Asked too often"), place.version, "smart_refusals")
        answer["Retry-After"] = str(int((job.next_poll_at - at).total_seconds()) + 1)
        return answer
    wait = scenarios.chosen("bulk_retry_after")
    jobs.polled(job, next_poll_at=at + timedelta(seconds=int(wait) if wait.isdigit() else 0))
    if job.polls_left > 0:
        return _in_progress(job, wait)
    if scenarios.chosen("bulk_outcome") == "failed":
        raise Refusal(500, "exception", "The export failed")
    answer = HttpResponse(json.dumps(_manifest(job, at)), content_type="application/json")
    answer["Expires"] = http_date(job.expires_at.timestamp())
    return answer


@_below_root("GET")
def file(request: HttpRequest, place: Place, _access: SystemPermissions, job_id: str, name: str) -> HttpResponse:
    """One file, or a redirect to it (307)."""
    at = clock.now()
    job = _job(job_id, place, at)
    if scenarios.chosen("bulk_delivery") != "redirected":
        return _content(request, job, name)
    answer = HttpResponse(status=307)
    answer["Location"] = storage.address(job.id, name, at=at)
    return answer


def stored(request: HttpRequest, job_id: str, name: str) -> HttpResponse:
    """A file in the storage, for whoever has the URL and sends no token."""
    if "HTTP_AUTHORIZATION" in request.META:
        return HttpResponse("Only one way to prove yourself is allowed", status=400, content_type="text/plain")
    at = clock.now()
    shown = {part: request.GET.get(part, "") for part in ("until", "signature")}
    job = jobs.anywhere(job_id, at=at) if storage.is_open(job_id, name, **shown, at=at) else None
    if job is None:
        return HttpResponse("Access denied", status=403, content_type="text/plain")
    try:
        return _content(request, job, name)
    except Refusal as refusal:
        return HttpResponse(status=refusal.status)


def _job(job_id: str, place: Place, at: datetime) -> Job:
    job = jobs.find(job_id, place, at=at)
    if job is None:
        raise Refusal(404, "not-found", "There is no such export")
    return job


def _in_progress(job: Job, wait: str) -> HttpResponse:
    answer = HttpResponse(status=202)
    answer["X-Progress"] = f"{100 * (job.polls - job.polls_left) // job.polls}% complete"
    if wait != "none":
        answer["Retry-After"] = wait
    return answer


def _manifest(job: Job, at: datetime) -> dict[str, object]:
    return {
        "transactionTime": job.started_at.isoformat(timespec="milliseconds"),
        "request": job.request,
        "requiresAccessToken": scenarios.chosen("bulk_delivery") != "open",
        "output": [_listed(job, one, at) for one in files.output(job)],
        "error": [_listed(job, one, at) for one in files.errors()],
    }


def _listed(job: Job, one: files.File, at: datetime) -> dict[str, object]:
    is_open = scenarios.chosen("bulk_delivery") == "open"
    url = f"{job.place.root}bulk-export/files/{job.id}/{one.name}"
    if is_open:
        url = storage.address(job.id, one.name, at=at)
    counts = scenarios.chosen("bulk_counts")
    told = {} if counts == "untold" else {"count": one.lines + (counts == "wrong")}
    return {"type": one.resource_type, "url": url, **told}


def _content(request: HttpRequest, job: Job, name: str) -> HttpResponse:
    """The file, or the requested part of it if ranges are supported (RFC 9110 section 14)."""
    body = files.content(job, name)
    if body is None:
        raise Refusal(404, "not-found", "There is no such file")
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    if scenarios.chosen("bulk_encoding") == "gzip" and "gzip" in request.META.get("HTTP_ACCEPT_ENCODING", ""):
        answer = HttpResponse(gzip.compress(body), content_type=_NDJSON)
        answer["Content-Encoding"] = "gzip"
        return answer
    start = _start(request, etag)
    if start is not None and start >= len(body):
        answer = HttpResponse(status=416)
        answer["Content-Range"] = f"bytes */{len(body)}"
        return answer
    answer = HttpResponse(body[start or 0 :], status=206 if start is not None else 200, content_type=_NDJSON)
    if start is not None:
        answer["Content-Range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
    if scenarios.chosen("bulk_ranges") == "understood":
        answer["ETag"], answer["Accept-Ranges"] = etag, "bytes"
    return answer


def _start(request: HttpRequest, etag: str) -> int | None:
    found = _RANGE.fullmatch(request.META.get("HTTP_RANGE", ""))
    is_same = request.META.get("HTTP_IF_RANGE", etag) == etag
    return int(found[1]) if found and is_same and scenarios.chosen("bulk_ranges") == "understood" else None
