"""Report whether a provider answered, so that everybody who is linked there learns of it (`connections.reachability`).

A turn without any answer says something about the provider only if its run has received nothing so far: later turns ask
for what is missing, and that may be the one search that the server never finishes. And silence that one patient's token
met is counted once: that patient's chart may be the only one that never loads, which is no news to others who are
linked there.
"""

from datetime import datetime, timedelta

from django.db.models import Q

from apps.connections import reachability
from apps.connections.models import Connection
from apps.records.models import SyncRun, SyncStep
from apps.records.syncing.stepping import Work

_END_OF_A_TURN = timedelta(minutes=5)  # a run may finish a moment before its findings are reported


def report(work: Work) -> None:
    """Report whether requests for records were answered, if there were any."""
    source, endpoint = work.source, work.run.connection.endpoint
    if source.was_answered:
        reachability.answered(endpoint)
    elif source.met_silence and not was_answered_before(work):
        at = work.clock()
        began_at = reachability.began_at(endpoint, at=at)
        reachability.not_answered(
            endpoint, at=at, is_ones_again=began_at is not None and _is_ones_again(work, began_at)
        )


def was_answered_before(work: Work) -> bool:
    """Whether the run was answered in earlier turns. Refusing a type is an answer, too; steps that never started were
    ended by the plan."""
    ended = Q(started_at__isnull=False, finished_at__isnull=False) & ~Q(gap=SyncStep.Gap.UNAVAILABLE)
    return work.run.steps.filter(Q(pages__gt=0) | ended).exists()


def _is_ones_again(work: Work, began_at: datetime) -> bool:
    """Whether the silence may have begun with this patient's own turn, while others are linked there."""
    connection = work.run.connection
    others = Connection.objects.living().filter(endpoint=connection.endpoint_id).exclude(pk=connection.pk)
    return not work.source.met_silence_for_all and _may_have_begun_it(work, began_at) and others.exists()


def _may_have_begun_it(work: Work, began_at: datetime) -> bool:
    """Whether a turn of this connection may have been the first without an answer: one of this run, where each such
    turn counts as a pause, or one of an earlier run that was under way then."""
    if work.run.created_at <= began_at and work.run.pauses:
        return True
    earlier = SyncRun.objects.filter(connection=work.run.connection_id, created_at__lte=began_at).exclude(
        pk=work.run.pk
    )
    return earlier.filter(finished_at__gte=began_at - _END_OF_A_TURN).exists()
