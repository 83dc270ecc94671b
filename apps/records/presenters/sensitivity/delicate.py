"""What is delicate whether or not it brings news: how somebody lives, what they answered to a questionnaire, and causes
of death (patient experience 3.10). The first page does not name it, since others may look over the reader's shoulder,
and a patient summary leaves it out unless the patient includes it. The lists show it.

We judge by category, or else by name: a questionnaire's report is often sent as a laboratory's, and many results have
no category. The codes are LOINC (https://loinc.org; (c) Regenstrief Institute, used under its license).
"""

import re
from typing import Final

from apps.records.presenters import plain_names
from apps.records.presenters.entry import Code, Entry
from apps.records.presenters.memoizing import memoized
from apps.records.presenters.observations.results import Category, ResultEntry
from apps.records.presenters.questionnaires import QuestionnaireEntry
from apps.records.presenters.reports import ReportEntry

_CATEGORIES: Final = frozenset({Category.SOCIAL, Category.SURVEY})
_LOINC: Final = frozenset(
    {
        # cause of death, immediate and underlying
        "69453-9", "79378-6", "80358-5",
        # depression: PHQ-2 and PHQ-9 with their items and scores, Edinburgh
        "55757-9", "55758-7", "44249-1", "44250-9", "44251-7", "44252-5", "44253-3", "44254-1", "44255-8", "44258-2",
        "44259-0", "44260-8", "44261-6", "69722-7", "71354-5", "73831-0", "73832-8", "89204-2",
        # anxiety, alcohol, drugs, violence at home
        "69737-5", "70274-6", "72109-2", "75626-2", "75624-7", "82666-9", "82667-7", "76499-3", "76504-0",
    }
)  # fmt: skip
# English and Spanish. A skeletal or bone survey is an X-ray, not a questionnaire.
_WORDS: Final = re.compile(
    r"cause of death|causa de (?:la )?muerte|suicid|better off dead|mejor muert|\bphq-?\s?[0-9]|patient health quest|"
    r"\bgad-?\s?7|\baudit-c|\bdast-?\s?10|questionnaire|cuestionario|\bencuesta\b|"
    r"(?<!skeletal )(?<!bone )(?<!bones )(?<!osseous )\bsurvey\b",
    re.IGNORECASE,
)


def is_delicate(entry: Entry) -> bool:
    """Whether an entry is delicate, by its kind, its category, its codes or its name."""
    if isinstance(entry, QuestionnaireEntry) or (isinstance(entry, ResultEntry) and entry.category in _CATEGORIES):
        return True
    if not isinstance(entry, ResultEntry | ReportEntry):
        return False
    parts = tuple(part.codes for part in entry.components) if isinstance(entry, ResultEntry) else ()
    return _is_called_so(entry.title, entry.codes, parts)


@memoized
def _is_called_so(title: str, codes: tuple[Code, ...], parts: tuple[tuple[Code, ...], ...]) -> bool:
    """Whether the codes of a result or of its parts, or its name, are delicate. Memoized: most results share them."""
    is_listed = any(_is_listed(code) for each in (codes, *parts) for code in each)
    return is_listed or any(map(_WORDS.search, (title, *(code.display for code in codes))))


def _is_listed(code: Code) -> bool:
    return plain_names.is_loinc(code) and code.code in _LOINC
