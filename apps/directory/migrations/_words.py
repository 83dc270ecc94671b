"""How providers were found when searching came (0006): frozen, so that no later spelling or name breaks that migration.

Its rows have neither other names nor postal codes: those columns came with the same release.
"""

import re
import unicodedata
from itertools import combinations
from urllib.parse import urlsplit

LONGEST_WORD, MOST_WORDS = 60, 100
SHORTEST, BEGINNING, LONG = 4, 7, 8
APOSTROPHES = re.compile(r"['\u2018\u2019\u02bc\u02bb`\u00b4]")
INITIALS = re.compile(r"(?<=\b[^\W\d_])\.(?=[^\W\d_]\b)")
JOINED_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")
LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "\u0131": "i", "&": " and "}
)
SAME = """
saint st ste sainte | mount mt | fort ft | center centre ctr cntr | group grp | health hlth | healthcare hlthcare |
service svc | services svcs | association assn | department dept | international intl | national natl |
county cnty cty | regional rgnl | physicians phys | pediatric paediatric ped | pediatrics paediatrics peds |
orthopedic orthopaedic | orthopedics orthopaedics | gynecology gynaecology | hematology haematology |
anesthesiology anaesthesiology | northeast ne | northwest nw | southeast se | southwest sw | doctor dr | doctors drs |
first 1st | second 2nd | third 3rd
"""
STATES = """
al alabama | ak alaska | az arizona | ar arkansas | as american samoa | ca california | co colorado | ct connecticut |
dc district of columbia | de delaware | fl florida | ga georgia | gu guam | hi hawaii | ia iowa | id idaho |
il illinois | in indiana | ks kansas | ky kentucky | la louisiana | ma massachusetts | md maryland | me maine |
mi michigan | mn minnesota | mo missouri | mp northern mariana islands | ms mississippi | mt montana |
nc north carolina | nd north dakota | ne nebraska | nh new hampshire | nj new jersey | nm new mexico | nv nevada |
ny new york | oh ohio | ok oklahoma | or oregon | pa pennsylvania | pr puerto rico | ri rhode island |
sc south carolina | sd south dakota | tn tennessee | tx texas | ut utah | va virginia | vi virgin islands | vt vermont |
wa washington | wi wisconsin | wv west virginia | wy wyoming
"""
ENDINGS = set("com org net edu gov mil us info biz health care clinic hospital io co app med ca uk".split())
BEFORE_A_COUNTRY = {"co", "com", "org", "net", "gov", "edu", "ac"}
USES = set(
    "www www2 www3 my mychart mychartplus portal portals patient patients patientportal secure login signin sso auth "
    "oauth2 fhir fhir2 api api2 ehr emr epicproxy epicmobile app apps web m".split()
)
ADDRESS = re.compile(r"(?:https?://)?[\w.-]+\.[a-z]{2,}(?::\d+)?(?:[/?#]\S*)?", re.IGNORECASE)

SPELLINGS = {word: same.split() for same in SAME.split("|") for word in same.split()}
STATE_NAMES = dict(state.strip().split(" ", 1) for state in STATES.split("|"))
OTHER_STATE = STATE_NAMES | {name: code for code, name in STATE_NAMES.items()}


def plain_words(text):
    told = INITIALS.sub("", APOSTROPHES.sub("", text))
    decomposed = unicodedata.normalize("NFKD", told.casefold().translate(LETTERS))
    kept = "".join(character for character in decomposed if not unicodedata.combining(character))
    return "".join(character if character.isalnum() else " " for character in kept).split()


def plain(text):
    words = plain_words(text)
    return " ".join(words[1:] if len(words) > 1 and words[0] == "the" else words)


def provider_words(row):
    """Of its name, city, state and web address: each once."""
    words = [
        *name_words(row.name),
        *plain_words(row.city),
        *plain_words(row.state),
        *plain_words(OTHER_STATE.get(plain(row.state), "")),
        *address_words(row.website),
    ]
    return list(dict.fromkeys(word[:LONGEST_WORD] for word in words))[:MOST_WORDS]


def name_words(name):
    for word in plain_words(name):
        yield word
        yield from (other for other in SPELLINGS.get(word, ()) if other != word)
    for joined in name.split():
        parts = JOINED_WORDS.split(joined)
        if len(parts) > 1:
            yield from (word for part in parts for word in plain_words(part))
        broken = APOSTROPHES.sub(" ", joined)
        if broken != joined:
            yield from (word for word in plain_words(broken) if len(word) > 1)


def address_words(url):
    """The labels of a host that tell whose it is, whole and in their parts."""
    given = url.strip().casefold()
    if not ADDRESS.fullmatch(given):
        return
    try:
        parts = urlsplit(given if "://" in given else f"//{given}")
        labels = (parts.hostname or "").strip(".").split(".")
    except ValueError:
        return
    if labels[-1] not in ENDINGS and "://" not in given and not parts.path.strip("/"):
        return
    if len(labels) > 1:
        ending = labels.pop()
        if len(labels) > 1 and len(ending) == 2 and labels[-1] in BEFORE_A_COUNTRY:
            labels.pop()
    *before, name = labels
    for label in (name, *(label for label in reversed(before) if label not in USES)):
        split = [part for part in re.split(r"[-_]", label) if part]
        yield from ("".join(split), *split) if len(split) > 1 else split


def neighbours(word):
    """What is left of a word, and of its beginnings, without a letter or two."""
    if len(word) < SHORTEST or not word.isalpha():
        return set()
    found = set()
    for length in range(SHORTEST, min(len(word), BEGINNING) + 1):
        found |= without(word[:length], 1)
    return found | (without(word[:BEGINNING], 2) if len(word) >= LONG - 1 else set())


def without(word, most):
    kept = {word}
    for left in range(1, most + 1):
        kept |= {"".join(letters) for letters in combinations(word, len(word) - left)}
    return kept
