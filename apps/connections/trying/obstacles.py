"""What may stand in the way of patients without stopping a trial: that is how staff find out whether it still does."""

from datetime import datetime

from apps.connections.models import Trial
from apps.directory import linkability
from apps.directory.linkability import Obstacle

# Patients stay away while these hold. Everything else would send staff nowhere, or secrets to a host that nobody of
# ours looked at (Obstacle.STRANGER).
OF_PATIENTS_ALONE = frozenset({
    Obstacle.SWITCHED_OFF,
    Obstacle.NOT_APPROVED,
    Obstacle.TROUBLE,
    Obstacle.NOT_ENABLED,
})  # fmt: skip


def of(trial: Trial, *, at: datetime) -> Obstacle | None:
    """Why nobody can sign in at the trial's endpoint, not even staff; None where they can."""
    return linkability.obstacle(trial.endpoint, provider=trial.provider, at=at, ignoring=OF_PATIENTS_ALONE)
