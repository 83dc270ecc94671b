"""This machine: the demo, and whoever writes Holdfast. Private Postgres and Redis unless the environment says else."""

from config import env, logging
from config.settings.base import *
from development import servers

DEBUG = True
MIDDLEWARE = [*MIDDLEWARE, "config.debug_404.SitePagesMiddleware"]
SECRET_KEY = "for this machine only; production reads its own from the environment"  # noqa: S105
VAULT_KEYS = servers.vault_keys()

SITE_ORIGIN = env.site_origin(default=f"http://localhost:{env.site_port()}")  # passkeys need a name
ALLOWED_HOSTS = ["127.0.0.1", "localhost", *env.allowed_hosts()]
ALLOW_LOOPBACK_HTTP = True

_DATABASE = env.database_url() or servers.demo().database_url("holdfast")
DATABASES = {"default": env.database_config(_DATABASE, pool_size=DATABASE_POOL_SIZE)}
CELERY_BROKER_URL = env.redis_url() or servers.demo().redis_url
CACHES = {"default": env.cache_config(CELERY_BROKER_URL)}

EMAIL_BACKEND = "development.mailbox.MailboxBackend"
EMAIL_FILE_PATH = env.mailbox_folder()

LOGGING = logging.configuration(level=env.log_level(), readable=True)
logging.configure(LOGGING)
STAFF_NEED_SECOND_STEP = False  # the demo prints how its staff sign in
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = True  # passkeys over plain http, which browsers allow for localhost alone
