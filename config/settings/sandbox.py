"""The sandbox on this machine, in one process with many threads. Its database is its own."""

from config import env
from config.settings.sandbox_base import *
from development import servers

_URL = env.sandbox_database_url() or servers.demo().database_url("sandbox")
DATABASES = {"default": {**env.database_config(_URL), "CONN_MAX_AGE": None}}  # one connection a thread, kept
