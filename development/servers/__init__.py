"""Private Postgres and Redis, so that nobody has to install or configure anything to run Holdfast on this machine.

`demo()` keeps its data in a folder of the checkout; `tests()` throws everything away. Both start the servers on first
use and share them between processes: later processes connect to the same servers. A separate process (`keeper`) holds
the servers, and stops them when the last process that uses them has ended, however it ended.

Settings import this module, so it must not use Django's settings. Raises `ImproperlyConfigured` with one sentence if
the servers cannot be started.
"""

import base64
import functools
import os
import secrets
import tempfile
from pathlib import Path

from config import env
from development.servers.locks import SharedServers

__all__ = ["SharedServers", "demo", "tests", "vault_keys"]


@functools.cache
def demo() -> SharedServers:
    """The servers of this checkout. Their data survives; `make demo FRESH=1` removes it."""
    return SharedServers(env.local_folder(), is_kept=True)


@functools.cache
def tests() -> SharedServers:
    """The servers of one test run, without fsync, in a temporary folder that is removed when the run ends.

    The folder's name is put into the environment, where the run's other processes find it.
    """
    folder = env.test_servers_folder()
    if folder is None or not folder.is_dir():
        folder = Path(tempfile.mkdtemp(prefix="holdfast-tests-"))
        os.environ["TEST_SERVERS_FOLDER"] = str(folder)
    return SharedServers(folder, is_kept=False)


def vault_keys() -> list[str]:
    """The demo's only `id:base64` vault key: created on first use, stored beside the data, readable only by us."""
    path = env.local_folder() / "vault-key"
    path.parent.mkdir(parents=True, exist_ok=True)
    key = base64.b64encode(secrets.token_bytes(32)).decode("ascii")
    if not path.exists():
        # Written to another file, then linked: of two processes that start at once one wins, and neither reads half.
        aside = path.with_name(f"vault-key-{secrets.token_hex(4)}")
        aside.touch(mode=0o600)
        aside.write_text(f"demo:{key}\n", encoding="ascii")
        try:
            os.link(aside, path)
        except FileExistsError:
            pass
        finally:
            aside.unlink()
    return [path.read_text(encoding="ascii").strip()]
