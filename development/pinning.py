"""`make lock`: pin every requirement with hashes, for every platform, on the oldest Python we support.

Releases must be two weeks old: most bad ones are found by then. development.txt is compiled first and contains every
set, so that the others agree with it.
"""

import argparse
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from config import env

_OLDEST_PYTHON = "3.11"
_AGE = timedelta(days=14)
_SETS = ("development", "base", "production", "sandbox")


def main(arguments: list[str]) -> int:
    """Compile the four sets. With `--upgrade` newer versions are taken, otherwise only what an input file changed."""
    parser = argparse.ArgumentParser(prog="make lock", description=main.__doc__)
    parser.add_argument("--upgrade", action="store_true")
    upgrade = ["--upgrade"] if parser.parse_args(arguments).upgrade else []
    newest = (datetime.now(tz=UTC) - _AGE).date().isoformat()
    for name in _SETS:
        agree = [] if name == "development" else ["--constraint", "development.txt"]
        subprocess.run(
            [
                *(str(Path(sys.executable).parent / "uv"), "pip", "compile", "--quiet", "--universal"),
                *("--python-version", _OLDEST_PYTHON, "--generate-hashes", "--exclude-newer", newest),
                *("--custom-compile-command", "make lock"),  # a date in the header of each file would change it daily
                *(*agree, *upgrade, "--output-file", f"{name}.txt", f"{name}.in"),
            ],
            cwd=env.ROOT / "requirements",
            check=True,
        )
        print(f"requirements/{name}.txt")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
