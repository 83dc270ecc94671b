"""The process that holds the private servers: `python -m development.servers.keeper FOLDER [--keep]`.

It prints `ready`, or one sentence that says why not. Then it waits for an exclusive lock on `servers.users`, which it
gets when no process uses the servers any more; stops them; and removes the folder, unless `--keep` is given.
"""

import contextlib
import fcntl
import json
import shutil
import signal
import sys
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from development.servers import binaries, places
from development.servers.postgres import Postgres
from development.servers.redis import Redis
from development.servers.unprivileged import server_account


def main(folder: Path, *, is_kept: bool) -> int:
    """Start both servers, print `ready`, wait, stop them. The exit code is 1 if they could not be started."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with contextlib.ExitStack() as stack:
        keeper = stack.enter_context((folder / "servers.keeper").open("a"))
        fcntl.flock(keeper, fcntl.LOCK_EX | fcntl.LOCK_NB)
        users = stack.enter_context((folder / "servers.users").open("a"))
        if not is_kept:
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
        try:
            _start(folder, stack, is_kept=is_kept)
        except (ImproperlyConfigured, OSError) as error:
            print(" ".join(str(error).split()), flush=True)
            return 1
        print("ready", flush=True)
        sys.stdout.close()
        # Held until everything below has stopped: a newcomer waits for that, then starts servers of its own.
        fcntl.flock(users, fcntl.LOCK_EX)
    return 0


def _start(folder: Path, stack: contextlib.ExitStack, *, is_kept: bool) -> None:
    account = server_account()
    place = stack.enter_context(places.place(folder, account, is_kept=is_kept))
    postgres = Postgres(place, binaries.postgres(place, account), account, is_kept=is_kept)
    redis = Redis(place, binaries.redis())
    stack.callback(postgres.stop)
    postgres.start()
    stack.callback(redis.stop)
    redis.start()
    addresses = folder / "servers.json"
    stack.callback(addresses.unlink, missing_ok=True)
    addresses.write_text(json.dumps({"sockets": str(place.sockets)}), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), is_kept="--keep" in sys.argv))
