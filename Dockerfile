# One base, three images: `docker build --target web|worker|beat .`
# The sandbox, the tests and what a laptop needs are not in any of them (.dockerignore).
FROM python:3.11-slim AS base

ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 DJANGO_SETTINGS_MODULE=config.settings.production

# What makes a PDF of a page to read, and letters for it. Chinese, Japanese and Korean ones (fonts-noto-cjk) are 90 MB more.
RUN apt-get update --quiet --quiet \
 && apt-get install --quiet --quiet --yes --no-install-recommends libpangoft2-1.0-0 libharfbuzz-subset0 fonts-dejavu-core fonts-noto-core \
 && rm -rf /var/lib/apt/lists/*

# Nothing can be written where they run: what is not compiled here is compiled anew at each start, and the probe starts
# every ten seconds. The image above leaves Python's own library as it is written; pip compiles what it installs.
RUN python -m compileall -q -x site-packages "$(python -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')"

WORKDIR /srv/holdfast
COPY requirements/production.txt requirements/
RUN pip install --no-cache-dir --disable-pip-version-check --require-hashes --requirement requirements/production.txt

COPY manage.py ./
COPY config config
COPY apps apps
COPY templates templates
COPY static static
COPY locale locale

RUN python -m compileall -q config apps

# Collecting static files reads the settings but uses none of these values, and keeps none of them.
RUN SECRET_KEY=only-while-the-image-is-built-and-kept-nowhere-in-it-00000000 \
    VAULT_KEYS=build:b25seSB3aGlsZSB0aGUgaW1hZ2UgaXMgYnVpbHQuLi4= \
    SITE_ORIGIN=https://holdfast.invalid EMAIL_URL=smtp://localhost \
    DATABASE_URL=postgres://localhost/none REDIS_URL=redis://localhost \
    python manage.py collectstatic --no-input --verbosity 0 \
 && useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin holdfast \
 && install --directory --owner=10001 --mode=0700 /var/lib/holdfast

USER 10001

FROM base AS web
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
  CMD ["python", "-m", "config.probing"]
CMD ["gunicorn", "--config", "python:config.gunicorn", "--bind", "0.0.0.0:8000", "--workers", "2", "--worker-tmp-dir", "/dev/shm", "config.wsgi:application"]

FROM base AS worker
# Refreshing must never wait behind a sync: run one worker for each, with `--queues sync,default` and `--queues refresh`.
CMD ["celery", "--app", "config.celery", "worker", "--queues", "default,refresh,sync", "--without-mingle", "--without-gossip"]

FROM base AS beat
# Exactly one. What it missed while it was away it makes up for with the next beat: what is due is computed from rows.
CMD ["celery", "--app", "config.celery", "beat", "--schedule", "/tmp/schedule"]
