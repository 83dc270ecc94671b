"""How far the machines of life cycles search: these few lives are the same in every run, and none is made shorter."""

from hypothesis import HealthCheck, Phase, settings


def lives(most: int, *, steps: int) -> settings:
    """So many lives of so many events. To look further, raise these numbers and do not derandomize."""
    return settings(
        max_examples=most,
        stateful_step_count=steps,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
