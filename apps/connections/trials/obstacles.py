"""Obstacles that stop patients but not a trial: a trial is how staff find out whether they still exist."""

from datetime import datetime

from apps.connections.models import Trial
from apps.directory import linkability
from apps.directory.linkability import Obstacle

# These keep patients away. All others would lead staff nowhere, or send secrets to a host that staff have not reviewed
# (Obstacle.STRANGER).
OF_PATIENTS_ALONE = frozenset({
    Obstacle.SWITCHED_OFF,
    Obstacle.NOT_APPROVED,
    Obstacle.TROUBLE,
    Obstacle.NOT_ENABLED,
})  # fmt: skip


def of(trial: Trial, *, at: datetime) -> Obstacle | None:
    """Why nobody can sign in at the trial's endpoint, not even staff; None if they can."""
    return linkability.obstacle(trial.endpoint, provider=trial.provider, at=at, ignoring=OF_PATIENTS_ALONE)
