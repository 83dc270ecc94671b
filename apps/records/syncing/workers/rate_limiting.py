"""The rate limit of a connection: requests per minute, counted over all workers.

Nobody publishes a limit for the patient access API; a sister product's is twenty (interface facts 2.18), and staff may
set another for a registration. The count is in the cache. If the cache loses it, one minute has some more requests; if
the cache does not answer, the count is unknown, and the request waits for the next minute.
"""

from datetime import UTC, datetime

from django.core.cache import cache
from redis.exceptions import RedisError

from apps.connections.models import Connection
from apps.connections.refreshing import NotYet

_SECONDS = 60


def take_turn(connection: Connection, *, most: int, at: datetime) -> None:
    """Count one request. Raises NotYet, until the next minute, if this minute's limit is used up."""
    minute = int(at.timestamp()) // _SECONDS
    next_minute = NotYet(datetime.fromtimestamp((minute + 1) * _SECONDS, tz=UTC))
    key = f"paced:{connection.pk}:{minute}"
    try:
        count = _counted(key)
    except ValueError:  # the cache lost it just now
        return
    except RedisError:
        raise next_minute from None
    if count > most:
        raise next_minute


def _counted(key: str) -> int:
    """Increment and return the count. Raises ValueError if the cache loses it at once."""
    try:
        return cache.incr(key)
    except ValueError:  # the first of its minute
        cache.add(key, 0, timeout=2 * _SECONDS)
        return cache.incr(key)
