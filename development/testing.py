"""`make test`: the two pytest runs, for the site and the sandbox, which have separate settings."""

import subprocess
import sys
from pathlib import Path

from config import env

_NOTHING_COLLECTED = 5  # pytest's exit code when options or paths select no test
_SANDBOX = Path("tests/sandbox")
# Each process gets one test at a time. By default pytest-xdist hands out batches of hundreds, and one batch had all the
# browser tests: one process worked through them while the other had nothing left to do.
_SHARED_BY = ("-n", "2", "--maxschedchunk", "1")


def main(arguments: list[str]) -> int:
    """Run both, even if the first fails; returns 1 if either failed or neither had a test."""
    paths = [argument for argument in arguments if (env.ROOT / argument.partition("::")[0]).exists()]
    options = [argument for argument in arguments if argument not in paths]
    sandbox_paths = [path for path in paths if Path(path.partition("::")[0]).is_relative_to(_SANDBOX)]
    site_paths = [path for path in paths if path not in sandbox_paths]
    codes = []
    if site_paths or not paths:
        codes.append(_pytest(*options, *(site_paths or ["tests"]), f"--ignore={_SANDBOX}"))
    if sandbox_paths or not paths:
        codes.append(_pytest(*options, *(sandbox_paths or [str(_SANDBOX)]), "--ds=config.settings.sandbox_test"))
    failures = [code for code in codes if code not in {0, _NOTHING_COLLECTED}]
    return 1 if failures or all(code == _NOTHING_COLLECTED for code in codes) else 0


def _pytest(*arguments: str) -> int:
    command = [sys.executable, "-m", "pytest", "--quiet", *_SHARED_BY, *arguments]
    return subprocess.run(command, cwd=env.ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
