"""`make test`: the two pytest runs, of the site and of the sandbox, which have settings of their own."""

import subprocess
import sys
from pathlib import Path

from config import env

_NOTHING_COLLECTED = 5  # pytest's exit code when options or paths select no test
_SANDBOX = Path("tests/sandbox")
# One test at a time goes to whichever process is free. What pytest-xdist hands out otherwise are heaps of hundreds, in
# which the tests with a browser lay together: one process went through them while the other had nothing left to do.
_SHARED_BY = ("-n", "2", "--maxschedchunk", "1")


def main(arguments: list[str]) -> int:
    """Run both, even where the first fails, and give back 1 if either did or neither had a test."""
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
