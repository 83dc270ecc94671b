"""The site's programs under chaos: as on a laptop, with the database as in production."""

from config import env
from config.settings.local import *  # noqa: F403 - as settings do

DATABASES = {
    "default": {
        **env.database_config(env.database_url(), pool_size=DATABASE_POOL_SIZE),  # noqa: F405
        "CONN_HEALTH_CHECKS": True,
    }
}
