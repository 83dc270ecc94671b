"""When two addresses in a list are one endpoint: if they differ only in the case of scheme and host, or in a trailing
slash."""

import hashlib

_LONGEST = 200  # what a directory's id may have


def root(url: str) -> str:
    """The normalized form, for any text; `importing` has the same rule in SQL."""
    behind_host = url.find("/", url.find("//") + 2)
    if behind_host < 0:
        return url.lower()
    return (url[:behind_host].lower() + url[behind_host:]).removesuffix("/")


def short_root(url: str) -> str:
    """The same, shortened to fit an id."""
    whole = root(url)
    if len(whole) <= _LONGEST:
        return whole
    return f"{whole[:100]} {hashlib.sha256(whole.encode('utf-8', 'replace')).hexdigest()}"


def origin(url: str) -> str:
    """Scheme, host and port of an address that passed the URL guard, in lower case."""
    behind_host = url.find("/", url.find("//") + 2)
    return (url if behind_host < 0 else url[:behind_host]).lower()
