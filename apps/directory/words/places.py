"""States and territories of the United States: directories write a code or a name, and people type either."""

_NAMES = {
    "al": "alabama",
    "ak": "alaska",
    "az": "arizona",
    "ar": "arkansas",
    "as": "american samoa",
    "ca": "california",
    "co": "colorado",
    "ct": "connecticut",
    "dc": "district of columbia",
    "de": "delaware",
    "fl": "florida",
    "ga": "georgia",
    "gu": "guam",
    "hi": "hawaii",
    "ia": "iowa",
    "id": "idaho",
    "il": "illinois",
    "in": "indiana",
    "ks": "kansas",
    "ky": "kentucky",
    "la": "louisiana",
    "ma": "massachusetts",
    "md": "maryland",
    "me": "maine",
    "mi": "michigan",
    "mn": "minnesota",
    "mo": "missouri",
    "mp": "northern mariana islands",
    "ms": "mississippi",
    "mt": "montana",
    "nc": "north carolina",
    "nd": "north dakota",
    "ne": "nebraska",
    "nh": "new hampshire",
    "nj": "new jersey",
    "nm": "new mexico",
    "nv": "nevada",
    "ny": "new york",
    "oh": "ohio",
    "ok": "oklahoma",
    "or": "oregon",
    "pa": "pennsylvania",
    "pr": "puerto rico",
    "ri": "rhode island",
    "sc": "south carolina",
    "sd": "south dakota",
    "tn": "tennessee",
    "tx": "texas",
    "ut": "utah",
    "va": "virginia",
    "vi": "virgin islands",
    "vt": "vermont",
    "wa": "washington",
    "wi": "wisconsin",
    "wv": "west virginia",
    "wy": "wyoming",
}
_CODES = {name: code for code, name in _NAMES.items()}


def other_name(plain_state: str) -> str:
    """The name for a code, the code for a name, and "" for anything else. Takes and returns text as `spelling.plain`
    does."""
    return _NAMES.get(plain_state) or _CODES.get(plain_state, "")


def code(plain_state: str) -> str:
    """The normalized form of a state: its code, or the text itself if it has none."""
    return _CODES.get(plain_state, plain_state)
