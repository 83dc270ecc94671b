"""Why a FHIR server refused a token: the Bearer challenge of its WWW-Authenticate header (RFC 6750 section 3).

Only the error code is kept, and only if we know it: realm and description are the server's words. A header can contain
challenges of several schemes, and a quoted string can contain anything, even something that looks like an error code.
"""

import re

from apps.wire.errors import Code

_LONGEST_HEADER = 16_384
# RFC 9110 section 11.2: a scheme, or a parameter whose value is a token or a quoted string.
_PART = re.compile(
    r"""[\s,]*(?:
        (?P<name>[!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*=[ \t]*
            (?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<bare>[^\s",]*))
        |(?P<scheme>[!#$%&'*+.^_`|~0-9A-Za-z-]+)(?=\s|,|$)
    )""",
    re.VERBOSE,
)


def reason(header: str) -> Code:
    """The error of the Bearer challenge; UNRECOGNIZED if it has none, as after a request without a token."""
    scheme = ""
    position = 0
    while position < len(header[:_LONGEST_HEADER]) and (part := _PART.match(header, position)):
        position = part.end()
        if part["scheme"]:
            scheme = part["scheme"].lower()
        elif scheme == "bearer" and part["name"].lower() == "error":
            return Code.named(part["bare"] if part["quoted"] is None else part["quoted"])
    return Code.UNRECOGNIZED
