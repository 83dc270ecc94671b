"""What an operator tries from a shell while the demo runs: exporting everybody's records at one organization into
files.
"""

import json
import stat
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from config import env
from development.check.page import NotThere
from development.check.provider import Person, Place, Provider

Step = tuple[str, Callable[[], None]]
_SECONDS = 120
_TYPES = "Patient,AllergyIntolerance"


class GroupExport:
    """An operator with a shell, in the demo's environment. The contents of the files are compared with what the sandbox
    gives an independent client for one person."""

    def __init__(
        self, surroundings: Mapping[str, str], provider: Provider, person: Person, place: Place, output: Path
    ) -> None:
        self._surroundings = {**surroundings, "DJANGO_SETTINGS_MODULE": "config.settings.local"}
        self._provider = provider
        self._person = person
        self._place = place
        self._output = output

    def steps(self) -> Iterator[Step]:
        """Specification 5.2.6, from the kick-off to the deletion."""
        yield "bulk export: everybody's records are exported into a folder", self.export
        yield "bulk export: the files hold what the sandbox holds, once", self.compare
        yield "bulk export: nobody else can read them", self.look_at_modes
        yield "bulk export: the same command again has nothing to do", self.export_again

    def export(self) -> None:
        said = self._command()
        if "Complete: " not in said or "in the clear" not in said:
            raise NotThere(f"a complete export, with a warning, in what the command said: {said!r}")

    def compare(self) -> None:
        held = self._provider.held(self._person, self._place)
        lines = [json.loads(line) for path in self._files() for line in path.read_text(encoding="utf-8").splitlines()]
        times = Counter((line["resourceType"], line["id"]) for line in lines)
        if times["Patient", held.patient["id"]] != 1 or set(times.values()) != {1}:
            raise NotThere("every resource once in the files")
        about = f"Patient/{held.patient['id']}"
        allergies = sum(line.get("patient", {}).get("reference") == about for line in lines)
        if allergies != held.allergies:
            raise NotThere(f"{held.allergies} allergies of one person in the files, but {allergies}")

    def look_at_modes(self) -> None:
        odd = [path.name for path in self._output.iterdir() if stat.S_IMODE(path.stat().st_mode) != 0o600]
        if odd or not self._files():
            raise NotThere(f"files for their owner alone; others can read {odd}")

    def export_again(self) -> None:
        said = self._command()
        if "Already complete: " not in said:
            raise NotThere(f"that it is complete in what the command said: {said!r}")

    def _files(self) -> list[Path]:
        return sorted(self._output.glob("*.ndjson"))

    def _command(self) -> str:
        root = f"{self._provider.origin}/b/myrecord/{self._place.version}/{self._place.tenant}/"
        asked = ("--endpoint", root, "--group", "everyone", "--types", _TYPES, "--output", str(self._output))
        ended = subprocess.run(
            [sys.executable, "-m", "django", "bulk_export", *asked],
            cwd=env.ROOT,
            env=self._surroundings,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=_SECONDS,
        )
        if ended.returncode != 0:
            raise NotThere(f"an export that ends well: {(ended.stdout.strip().splitlines() or ['silence'])[-1]}")
        return ended.stdout
