"""`python -m config.probing [PATH]`: asks this container's site whether it answers. Exit code 1 where it does not.

It names the site's own host, because the site answers to no other.
"""

import sys
import urllib.error
import urllib.request
from urllib.parse import urlsplit

from config import env

_SECONDS = 4


def main(path: str) -> int:
    """Ask `/health/`, or the path given."""
    request = urllib.request.Request(
        f"http://127.0.0.1:8000{path}", headers={"Host": urlsplit(env.site_origin()).netloc}
    )
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS):  # noqa: S310  # nosec B310
            return 0
    except (urllib.error.URLError, TimeoutError):
        return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:] or ["/health/"]))
