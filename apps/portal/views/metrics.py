"""`/metrics`, only for a monitor that has the token."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from apps.accounts.middleware import same_for_everybody
from apps.connections import clocks
from apps.connections.metrics.collecting import Links
from apps.connections.metrics.reading import CONTENT_TYPE_LATEST, Readings
from apps.records.syncing.metrics import Copies

readings = Readings(lambda at: Links(at=at, off_by=timezone.now() - at), lambda at: Copies(at=at))


@csrf_exempt  # nothing is ever written: a POST gets 405
@same_for_everybody
@never_cache
@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """All metrics. 404 if no token is configured, 401 without the right one; being signed in does not help."""
    if not settings.METRICS_TOKEN:
        raise Http404
    scheme, _space, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not constant_time_compare(token.strip(), settings.METRICS_TOKEN):
        return HttpResponse(
            "Unauthorized\n", status=401, content_type="text/plain", headers={"WWW-Authenticate": "Bearer"}
        )
    return HttpResponse(readings.read(clock=clocks.now), content_type=CONTENT_TYPE_LATEST)
