"""Where searches go by a category, a server has one for everything it holds; files of others often have none it knows.

What came without is found under the commonest, in the index alone: bodies are served as they came.
"""

from apps.sandbox.models import Resource

_CATEGORIES = {
    "CarePlan": ("assess-plan", "careteam"),
    "DiagnosticReport": ("LAB",),
    "Observation": (
        *("laboratory", "vital-signs", "social-history", "imaging", "procedure", "survey", "exam", "therapy"),
        *("sdoh", "activity"),
    ),
}  # resource type: what searches ask by, the commonest first
_OF_R4_ALONE = frozenset({"sdoh", "activity"})


def categorized(row: Resource) -> Resource:
    """The row, which a search by category finds now, if its type is one that needs it."""
    names = _CATEGORIES.get(row.resource_type, ())
    asked = {f"category={name}" for name in names if row.version == "r4" or name not in _OF_R4_ALONE}
    if names and not asked.intersection(row.tokens):
        row.tokens = sorted({*row.tokens, f"category={names[0]}"})
    return row
