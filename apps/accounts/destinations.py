"""Where a page may send somebody on to: paths of our own, and nothing else."""

from django.utils.http import url_has_allowed_host_and_scheme


def own_path(unverified_next: str, *, otherwise: str) -> str:
    """The path in `unverified_next` where it is one of ours, else `otherwise`. Never a host, never a scheme."""
    is_path = unverified_next.startswith("/") and url_has_allowed_host_and_scheme(unverified_next, allowed_hosts=None)
    return unverified_next if is_path else otherwise
