"""A deployment. Everything that differs between deployments comes from the environment."""

from datetime import timedelta
from urllib.parse import urlsplit

from config import env
from config.settings.base import *

DEBUG = False
SECRET_KEY = env.secret_key()
SECRET_KEY_FALLBACKS = env.secret_key_fallbacks()
VAULT_KEYS = env.vault_keys()

SITE_ORIGIN = env.site_origin()
ALLOWED_HOSTS = [urlsplit(SITE_ORIGIN).hostname or "", *env.allowed_hosts()]
ALLOW_LOOPBACK_HTTP = env.allow_loopback_http()  # a check makes this an error outside debug

DATABASES = {
    "default": {
        **env.database_config(env.database_url(), pool_size=DATABASE_POOL_SIZE),
        "CONN_HEALTH_CHECKS": True,
    }
}
CELERY_BROKER_URL = env.redis_url()
CACHES = {"default": env.cache_config(CELERY_BROKER_URL)}
ALLAUTH_TRUSTED_PROXY_COUNT = env.trusted_proxies()

globals().update(env.email_config())

SECURE_SSL_REDIRECT = True
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_REDIRECT_EXEMPT = [r"^health/$", r"^ready/$", r"^metrics$"]
SECURE_HSTS_SECONDS = int(timedelta(days=365).total_seconds())
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SECURE_HSTS_PRELOAD = True
SESSION_COOKIE_SECURE = True
SESSION_COOKIE_NAME = "__Host-session"
CSRF_COOKIE_SECURE = True
CSRF_COOKIE_NAME = "__Host-csrf"
LANGUAGE_COOKIE_SECURE = True

STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},  # no upload is ever stored
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
