"""The last defence of the logs: removes whatever looks like a secret, anywhere in a line.

The first defence is not to log secrets at all (`config/logging.py`); this catches what slips through. It would rather
remove too much than too little.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

GONE = "[removed]"
_DEEPEST = 6

_SECRET_NAME = re.compile(
    r"secret|token|passw|authorization$|cookie|verifier|assertion|credential|private_?key|api_?key"
    r"|^(code|state|nonce|session|session_?key|query|query_string|body|args|kwargs)$",
    re.IGNORECASE,
)
_UUID = re.compile(r"(?<![0-9A-Za-z])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![0-9A-Za-z])")
_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    # everything after a question mark that has no space before what follows: a query string
    (re.compile(r"\?[^\s\"'<>]+"), f"?{GONE}"),
    (re.compile(r"\b(bearer|basic)(\s+|%20|\+)[^\s\"',;]+", re.IGNORECASE), rf"\1 {GONE}"),
    # name=value, name: value and "name": "value"; client_secret ends in one of them
    (
        re.compile(
            r"(\b(?:code|state|nonce)|(?:\b|_)(?:token|secret|password|verifier|assertion|authorization|cookie))"
            r"(['\"]?\s*(?:[=:]|%3D)\s*)(?:'[^']*'|\"[^\"]*\"|[^\s&'\",;)}\]]+)",
            re.IGNORECASE,
        ),
        rf"\1\2{GONE}",
    ),
    (re.compile(r"\beyJ[\w-]+(?:\.[\w-]*)+"), GONE),  # a JWT
)
_LONG_RUN = re.compile(r"[0-9A-Za-z+/_=-]{32,}")
_LONGEST_WORD = 31


def scrub(value: object, *, depth: int = 0) -> object:
    """The value without secrets: numbers and None unchanged, texts scrubbed, bytes as their count.

    In a mapping, values under a name that sounds like a secret are removed. Anything else becomes its scrubbed `str`,
    so that only plain data is left.
    """
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, bytes | bytearray | memoryview):
        return f"[{len(value)} bytes]"
    if isinstance(value, str) or depth >= _DEEPEST:
        return scrub_text(str(value))
    if isinstance(value, Mapping):
        return scrub_mapping(value, depth=depth)
    if isinstance(value, Sequence | set | frozenset):
        return [scrub(item, depth=depth + 1) for item in value]
    if isinstance(value, BaseException):  # its text may quote what it choked on
        return type(value).__name__
    return scrub_text(str(value))


def scrub_mapping(values: Mapping[Any, object], *, depth: int = 0) -> dict[str, object]:
    """As `scrub`, for a mapping: values under a name that sounds like a secret are removed, except for numbers."""
    return {scrub_text(str(name)): _scrub_named(str(name), value, depth) for name, value in values.items()}


def scrub_text(text: str) -> str:
    """The text without query strings, credentials, `name=value` pairs of secrets, JWTs and long random strings."""
    for pattern, replacement in _PATTERNS:
        text = pattern.sub(replacement, text)
    return _LONG_RUN.sub(_without_long_run, text)


def _without_long_run(match: re.Match[str]) -> str:
    """A run of that length counts as a key or a token, unless it is a word without digits, a UUID or a path."""
    run = match.group()
    rest = _UUID.sub("", run)
    parts = rest.split("/") if run.startswith("/") else [rest]
    is_random = any(len(part) > _LONGEST_WORD and any(char.isdigit() for char in part) for part in parts)
    return GONE if is_random else run


def _scrub_named(name: str, value: object, depth: int) -> object:
    is_count = value is None or isinstance(value, bool | int | float)
    return GONE if _SECRET_NAME.search(name) and not is_count else scrub(value, depth=depth + 1)
