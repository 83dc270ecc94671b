"""What Django's debug page may show: where an error happened, but no values.

It exists only in debug, but screens are shared and pages are pasted into reports.
"""

from types import FrameType
from typing import Any

from django.http import HttpRequest
from django.views.debug import ExceptionReporter, SafeExceptionReporterFilter

from config import redaction

_SHOWN_META = frozenset({"REQUEST_METHOD", "CONTENT_TYPE", "CONTENT_LENGTH", "HTTP_ACCEPT", "SERVER_PROTOCOL"})


class WithoutValues(SafeExceptionReporterFilter):
    """Names of settings, parameters, cookies and variables, without their values."""

    def get_safe_settings(self) -> dict[str, Any]:
        """The names of all settings; the URL of a broker or database has a password under a harmless name."""
        return dict.fromkeys(super().get_safe_settings(), redaction.GONE)

    def get_safe_request_meta(self, request: HttpRequest) -> dict[str, Any]:
        """A few harmless headers, and the names of the others."""
        meta = super().get_safe_request_meta(request)
        return {name: value if name in _SHOWN_META else redaction.GONE for name, value in meta.items()}

    def get_safe_cookies(self, request: HttpRequest) -> dict[str, Any]:
        """The names of the cookies."""
        return dict.fromkeys(super().get_safe_cookies(request), redaction.GONE)

    def get_post_parameters(self, request: HttpRequest | None) -> dict[str, Any]:
        """The names of the submitted fields."""
        return dict.fromkeys(request.POST, redaction.GONE) if request is not None else {}

    def get_traceback_frame_variables(self, _request: HttpRequest | None, tb_frame: FrameType) -> Any:
        """The names and types of local variables."""
        return [(name, f"<{type(value).__name__}>") for name, value in tb_frame.f_locals.items()]


class WithoutSecrets(ExceptionReporter):
    """The page of an unhandled exception: its text scrubbed, and the query's parameters by name only."""

    def get_traceback_data(self) -> dict[str, Any]:
        """Django's data, with everything scrubbed that could quote a secret."""
        data: dict[str, Any] = super().get_traceback_data()
        data["unicode_hint"] = ""
        for name in ("exception_value", "exception_notes"):
            data[name] = redaction.scrub_text(data.get(name) or "")
        for frame in data["frames"]:
            frame["exc_cause"] = redaction.scrub_text(str(frame["exc_cause"] or ""))
        if data["template_info"]:
            data["template_info"] = {**data["template_info"], "message": data["exception_value"]}
        if self.request is not None:
            data["request_GET_items"] = dict.fromkeys(self.request.GET, redaction.GONE).items()
            data["request_insecure_uri"] = self.request.path
        return data
