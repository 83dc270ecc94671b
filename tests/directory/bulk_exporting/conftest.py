"""The sandbox's SMART deployment with our system access, and exports from it that take no time."""

import io
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from apps.audit.recording import Actor
from apps.directory import bulk_exporting
from apps.directory.bulk_exporting import Limits, Means, Report, Wish
from apps.directory.models import ClientRegistration, SystemAccount
from tests.connections.deployments import Deployment, deploy
from tests.fixtures.sandbox import Sandbox

__all__ = ["deploy"]  # the fixture

ACTOR = Actor.system("tests")


@dataclass
class Exporting:
    """One endpoint with system access, and a folder. `waits` are the seconds waited, `said` what was told; nothing
    waits really, and the sandbox's clock moves instead."""

    deployment: Deployment
    sandbox: Sandbox
    folder: Path
    waits: list[float] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    before: Callable[[], None] = lambda: None  # done while somebody waits
    ahead: timedelta = timedelta()  # of our clock
    limits: Limits = field(default_factory=lambda: Limits(keep_free_bytes=0))  # whatever disk the tests run on

    @property
    def means(self) -> Means:
        return Means(
            clock=lambda: timezone.now() + self.ahead, wait=self._wait, say=self.said.append, limits=self.limits
        )

    def wish(self, **changes: Any) -> Wish:
        asked = {"group_id": "everyone", "types": ("Patient", "Condition", "Observation"), **changes}
        return Wish(self.deployment.endpoint.fhir_base_url, **asked)

    def run(self, **changes: Any) -> Report:
        return bulk_exporting.export(
            self.deployment.endpoint, self.wish(**changes), self.folder, actor=ACTOR, means=self.means
        )

    def give_up(self, **changes: Any) -> None:
        bulk_exporting.give_up(
            self.deployment.endpoint, self.wish(**changes), self.folder, actor=ACTOR, means=self.means
        )

    def command(self, *arguments: str, group: str = "everyone") -> str:
        told = io.StringIO()
        url = self.deployment.endpoint.fhir_base_url
        where = ("--endpoint", url, "--group", group, "--output", str(self.folder), "--keep-free", "0")
        call_command("bulk_export", *where, *arguments, stdout=told, stderr=told)
        return told.getvalue()

    def go_on(self, *, seconds: float, there: float) -> None:
        """Time passes: so much by our clock, so much by the sandbox's."""
        self.ahead += timedelta(seconds=seconds)
        self.sandbox.post("/control/clock", move_seconds=there)

    def switch(self, **switches: str) -> None:
        self.sandbox.post("/control/switches", **switches)

    def fault(self, kind: str, *, path: str, **fields: Any) -> None:
        self.sandbox.post("/control/faults", route="data", kind=kind, path=path, **fields)

    def asked(self, path: str, method: str = "GET") -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.sandbox.get(f"/control/requests?path={path}&method={method}")["requests"]
        return found

    def files(self) -> dict[str, bytes]:
        """What a reader finds there."""
        return {path.name: path.read_bytes() for path in self.folder.glob("*.ndjson")}

    def modes(self) -> set[int]:
        return {stat.S_IMODE(path.stat().st_mode) for path in self.folder.iterdir()}

    def _wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.before()


@pytest.fixture
def exporting(deploy: Callable[..., Deployment], sandbox: Sandbox, tmp_path: Path) -> Exporting:
    """At Willow Creek, where systems get ten minutes' tokens; files of a hundred lines."""
    deployment = deploy(smart_version="v1")
    made = next(
        one
        for one in sandbox.get("/control/smart-applications")["applications"]
        if one["client_id"] == deployment.registration.client_id
    )
    account = SystemAccount.objects.create(
        description="Bulk export", account_id=made["system_account"], status="approved", requested_at=timezone.now()
    )
    ClientRegistration.objects.filter(pk=deployment.registration.pk).update(system_account=account)
    sandbox.post("/control/switches", bulk_rows_per_file="100", bulk_retry_after="120")
    return Exporting(deployment, sandbox, tmp_path / "output")
