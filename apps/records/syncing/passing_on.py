"""What a turn of a run heard of its provider, passed on to all who are linked there (`connections.hearing`).

A turn that was left without an answer says something of the provider only where its run has brought nothing before:
later turns ask for what is missing, and that may be the one search that the server never finishes.
"""

from django.db.models import Q

from apps.connections import hearing
from apps.records.models import SyncStep
from apps.records.syncing.stepping import Work


def pass_on(work: Work) -> None:
    """Whether records were answered, where any were asked for."""
    source, endpoint = work.source, work.run.connection.endpoint
    if source.was_answered:
        hearing.answered(endpoint)
    elif source.met_silence and not _was_answered_before(work):
        hearing.not_answered(endpoint, at=work.clock())


def _was_answered_before(work: Work) -> bool:
    """A refusal of a type is an answer, too; types that were never asked for ended when they were planned."""
    ended = Q(started_at__isnull=False, finished_at__isnull=False) & ~Q(gap=SyncStep.Gap.UNAVAILABLE)
    return work.run.steps.filter(Q(pages__gt=0) | ended).exists()
