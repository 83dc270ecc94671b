"""Our key set at its well-known address, for providers that verify our signatures.

`application/json`: RFC 7517 registers `application/jwk-set+json` (section 8.5) but does not require it, and some
readers accept only JSON. No CORS header: servers read it, and no script of another site needs to.
"""

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from apps.accounts.middleware import same_for_everybody
from apps.directory import published_keys


@same_for_everybody
@csrf_exempt  # it takes no POST: that gets the answer of `require_safe`
@require_safe
def key_set(request: HttpRequest) -> HttpResponse:
    """The public keys, with a lifetime for caches. An empty set must not be cached, so that the first key can sign at
    once. 304 if the reader's copy is current (RFC 9110, section 13)."""
    found = published_keys.key_set()
    max_age = f"public, max-age={int(published_keys.MAX_AGE.total_seconds())}"
    headers = {"Cache-Control": "no-store" if found.is_empty else max_age, "ETag": found.etag}
    answer = HttpResponse(found.body, content_type="application/json", headers=headers)
    return get_conditional_response(request, etag=found.etag, response=answer) or answer
