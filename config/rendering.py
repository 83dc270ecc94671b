"""Templates that release the objects that they have shown.

Django's template contexts contain reference cycles. So everything that a page showed, such as fifty rows of somebody's
record, stayed in memory until the next garbage collection one or two pages later, which took longer because of it.
"""

from typing import Any

from django.http import HttpRequest
from django.template import TemplateDoesNotExist
from django.template.backends.django import DjangoTemplates, Template, reraise
from django.template.context import make_context
from django.utils.safestring import SafeString


class Templates(DjangoTemplates):
    """Django's template backend, which breaks these cycles."""

    def from_string(self, template_code: str) -> Template:
        """A template of this text."""
        return _LettingGo(super().from_string(template_code).template, self)

    def get_template(self, template_name: str) -> Template:
        """The template of that name. Raises TemplateDoesNotExist."""
        return _LettingGo(super().get_template(template_name).template, self)


class _LettingGo(Template):
    def render(self, context: dict[str, Any] | None = None, request: HttpRequest | None = None) -> SafeString:
        made = make_context(context, request, autoescape=self.backend.engine.autoescape)
        try:
            return self.template.render(made)
        except TemplateDoesNotExist as error:  # of what it includes: as Django's own raises it
            reraise(error, self.backend)
        finally:
            made.dicts.clear()
