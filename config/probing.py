"""`python -m config.probing [PATH]`: asks the site in this container whether it works, and prints the answer. Exit code
1 if it does not answer, or says that something is missing.

The request has the site's own host name, because the site answers to no other.
"""

import sys
import urllib.error
import urllib.request
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from config import env, startup_errors

_PORT = 8000
_SECONDS = 4


def main(path: str) -> int:
    """Ask `/health/`, or the path given."""
    try:
        host = urlsplit(env.site_origin()).netloc
    except ImproperlyConfigured as error:
        sys.exit(startup_errors.sentence(error))
    request = urllib.request.Request(f"http://127.0.0.1:{_PORT}{path}", headers={"Host": host})
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310  # nosec B310
            sys.stdout.write(f"{answer.read().decode()}\n")
            return 0
    except urllib.error.HTTPError as refused:  # it answers, and says what is missing
        sys.stdout.write(f"{refused.read().decode()}\n")
    except (urllib.error.URLError, TimeoutError):
        sys.stderr.write(f"Nothing answers at 127.0.0.1:{_PORT}.\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:] or ["/health/"]))
