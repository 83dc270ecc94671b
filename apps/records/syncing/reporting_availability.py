"""Tell whether a provider answered, so that all who are linked there know (`connections.hearing`).

A turn without any answer says something of the provider only if its run has brought nothing so far: later turns ask for
what is missing, and that may be the one search that the server never finishes. And what one patient's token met is
counted once: it may be the one chart that never comes, which is no news to others who are linked there.
"""

from datetime import datetime, timedelta

from django.db.models import Q

from apps.connections import hearing
from apps.connections.models import Connection
from apps.records.models import SyncRun, SyncStep
from apps.records.syncing.stepping import Work

_END_OF_A_TURN = timedelta(minutes=5)  # a run may finish a moment before what it heard is passed on


def report(work: Work) -> None:
    """Whether records were answered, where any were asked for."""
    source, endpoint = work.source, work.run.connection.endpoint
    if source.was_answered:
        hearing.answered(endpoint)
    elif source.met_silence and not was_answered_before(work):
        at = work.clock()
        began_at = hearing.began_at(endpoint, at=at)
        hearing.not_answered(endpoint, at=at, is_ones_again=began_at is not None and _is_ones_again(work, began_at))


def was_answered_before(work: Work) -> bool:
    """Whether the run was in earlier turns. A refusal of a type is an answer, too; types that were never asked for
    ended when they were planned."""
    ended = Q(started_at__isnull=False, finished_at__isnull=False) & ~Q(gap=SyncStep.Gap.UNAVAILABLE)
    return work.run.steps.filter(Q(pages__gt=0) | ended).exists()


def _is_ones_again(work: Work, began_at: datetime) -> bool:
    """Whether the silence may have begun with a turn of this patient, while others are linked there."""
    connection = work.run.connection
    others = Connection.objects.living().filter(endpoint=connection.endpoint_id).exclude(pk=connection.pk)
    return not work.source.met_silence_for_all and _may_have_begun_it(work, began_at) and others.exists()


def _may_have_begun_it(work: Work, began_at: datetime) -> bool:
    """Whether a turn of this connection may have been the first that got no answer: one of this run, each of which
    counts as a pause, or of an earlier one that was under way then."""
    if work.run.created_at <= began_at and work.run.pauses:
        return True
    earlier = SyncRun.objects.filter(connection=work.run.connection_id, created_at__lte=began_at).exclude(
        pk=work.run.pk
    )
    return earlier.filter(finished_at__gte=began_at - _END_OF_A_TURN).exists()
