"""The sandbox under test: the same program on a database of its own."""

from config.settings.sandbox import *

SANDBOX_ORIGIN = "http://testserver"
ALLOWED_HOSTS = [*ALLOWED_HOSTS, "testserver"]
DATABASES["default"]["CONN_MAX_AGE"] = 0
