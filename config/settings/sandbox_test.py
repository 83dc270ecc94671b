"""The sandbox under test: the same program, on a database that is thrown away."""

from config import env
from config.settings.sandbox_base import *
from development import servers

SANDBOX_ORIGIN = "http://testserver"
ALLOWED_HOSTS = [*ALLOWED_HOSTS, "testserver"]
DATABASES = {
    "default": env.database_config(env.sandbox_database_url() or servers.tests().database_url("sandbox")),
}
