"""Give a default category to resources of types that are searched by category: other people's files often have none
that a search would use.

Only the index gets it; bodies are served unchanged.
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
    """The row, with a default category in its index if its type needs one."""
    names = _CATEGORIES.get(row.resource_type, ())
    asked = {f"category={name}" for name in names if row.version == "r4" or name not in _OF_R4_ALONE}
    if names and not asked.intersection(row.tokens):
        row.tokens = sorted({*row.tokens, f"category={names[0]}"})
    return row
