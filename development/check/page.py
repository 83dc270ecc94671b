"""A page as a person sees it: text, links by their words, forms by their labels."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urljoin

_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
_UNSEEN = {"script", "style", "template", "head"}
_LONGEST = 800  # of a complaint, which ends on one line
_BLOCKS = {
    "p",
    "div",
    "li",
    "dt",
    "dd",
    "h1",
    "h2",
    "h3",
    "tr",
    "td",
    "th",
    "section",
    "legend",
    "label",
    "option",
    "pre",
}


class NotThere(AssertionError):
    """The page lacks what the step needs: a link, a form, a field, a word."""


@dataclass
class Field:
    """One control of a form. `labels` are the words beside it; radio buttons with one name are separate fields."""

    name: str
    kind: str
    value: str
    labels: list[str] = field(default_factory=list)
    is_chosen: bool = False
    options: dict[str, str] = field(default_factory=dict)  # of a select: words to value


@dataclass
class Form:
    """One form, and the values it would send."""

    action: str
    method: str
    fields: list[Field] = field(default_factory=list)
    buttons: dict[str, tuple[str, str]] = field(default_factory=dict)  # words to name and value

    def filled(self, values: Mapping[str, str | bool], button: str) -> list[tuple[str, str]]:
        """What the form sends once the fields named by their labels are filled in and the button is pressed."""
        for label, value in values.items():
            self._fill(label, value)
        sent = [
            (one.name, one.value)
            for one in self.fields
            if one.name and (one.kind not in {"radio", "checkbox"} or one.is_chosen)
        ]
        name, value = self.buttons[button]
        return [*sent, (name, value)] if name else sent

    def _fill(self, label: str, value: str | bool) -> None:  # noqa: FBT001  what is filled in
        found = [one for one in self.fields if one.kind != "hidden" and any(label in words for words in one.labels)]
        if not found:
            raise NotThere(f"no field called {label!r}, only {[one.labels for one in self.fields if one.labels]}")
        one = found[0]
        if one.kind == "radio":
            for other in self.fields:
                if other.name == one.name:
                    other.is_chosen = other is one
        elif one.kind == "checkbox":
            one.is_chosen = bool(value)
        elif one.options:
            one.value = next((sent for words, sent in one.options.items() if str(value) in words), "")
        else:
            one.value = str(value)


class Page:
    """One response: `address`, `status`, `text` with one line per block, `links`, `forms`, and where it refreshes
    to."""

    def __init__(self, address: str, status: int, html: str) -> None:
        self.address = address
        self.status = status
        reader = _Reader(address)
        reader.feed(html)
        reader.close()
        self.links = reader.links
        self.forms = reader.forms
        self.refreshes_to = reader.refreshes_to
        lines = (" ".join(line.split()) for line in "".join(reader.text).splitlines())
        self.text = "\n".join(line for line in lines if line)

    def link(self, words: str) -> str:
        """Where the first link with these words leads."""
        for text, address in self.links:
            if words in text:
                return address
        raise self._lack(f"link {words!r}; it has {[text for text, _ in self.links]}")

    def form(self, button: str) -> Form:
        """The form with this button."""
        for form in self.forms:
            if button in form.buttons:
                return form
        raise self._lack(f"button {button!r}; it has {[words for form in self.forms for words in form.buttons]}")

    def must_show(self, *words: str) -> None:
        """Raise `NotThere` unless every one of the words can be read on the page."""
        for each in words:
            if each not in self.text:
                raise self._lack(f"{each!r}; it says: {self.text!r}")

    def _lack(self, what: str) -> NotThere:
        return NotThere(f"{self.address.partition('?')[0]} (status {self.status}) has no {what[:_LONGEST]}")


class _Reader(HTMLParser):
    def __init__(self, address: str) -> None:
        super().__init__(convert_charrefs=True)
        self._address = address
        self.text: list[str] = []
        self.links: list[tuple[str, str]] = []
        self.forms: list[Form] = []
        self.refreshes_to: str | None = None
        self._form: Form | None = None
        self._open: list[tuple[str, dict[str, str], int]] = []
        self._labelled: dict[str, str] = {}  # id of a control to the words of its label
        self._controls: list[tuple[str, Field]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        attributes |= {name: "yes" for name, value in attrs if value is None}
        if tag in _BLOCKS or tag == "br":
            self.text.append("\n")
        if tag == "form":
            action = urljoin(self._address, attributes.get("action", ""))
            self._form = Form(action, attributes.get("method", "get").lower())
            self.forms.append(self._form)
        elif tag == "meta" and attributes.get("http-equiv", "").lower() == "refresh":
            _, _, target = attributes.get("content", "").partition("url=")
            self.refreshes_to = urljoin(self._address, target.strip("'\" ")) if target else None
        elif tag in {"input", "select", "textarea"}:
            self._control(tag, attributes)
        if tag not in _VOID:
            self._open.append((tag, attributes, len(self.text)))

    def handle_data(self, data: str) -> None:
        if not any(tag in _UNSEEN for tag, _, _ in self._open):
            self.text.append(data)

    def handle_endtag(self, tag: str) -> None:
        while self._open:
            opened, attributes, began = self._open.pop()
            self._finish(opened, attributes, " ".join("".join(self.text[began:]).split()))
            if opened == tag:
                break
        if tag in _BLOCKS:
            self.text.append("\n")

    def close(self) -> None:
        super().close()
        for identity, control in self._controls:
            if identity in self._labelled:
                control.labels.append(self._labelled[identity])

    def _control(self, tag: str, attributes: dict[str, str]) -> None:
        if self._form is None:
            return
        kind = attributes.get("type", "text") if tag == "input" else tag
        if kind in {"submit", "image"}:
            self._form.buttons[attributes.get("value", "")] = (attributes.get("name", ""), attributes.get("value", ""))
            return
        default = "on" if kind in {"checkbox", "radio"} else ""
        control = Field(attributes.get("name", ""), kind, attributes.get("value", default))
        control.is_chosen = "checked" in attributes
        self._form.fields.append(control)
        self._controls.append((attributes.get("id", ""), control))
        if any(opened == "label" for opened, _, _ in self._open):
            self._controls.append(("", control))  # its label is around it, and is read when that ends

    def _finish(self, tag: str, attributes: dict[str, str], words: str) -> None:
        if tag == "a" and "href" in attributes:
            self.links.append((words, urljoin(self._address, attributes["href"])))
        elif tag == "form":
            self._form = None
        elif tag == "label":
            self._label(attributes, words)
        elif tag == "button" and self._form is not None and attributes.get("type", "submit") == "submit":
            self._form.buttons[words] = (attributes.get("name", ""), attributes.get("value", ""))
        elif tag == "option" and self._form is not None and self._form.fields:
            select = self._form.fields[-1]
            select.options[words] = attributes.get("value", words)
            if "selected" in attributes or len(select.options) == 1:
                select.value = attributes.get("value", words)
        elif tag == "textarea" and self._form is not None and self._form.fields:
            self._form.fields[-1].value = words

    def _label(self, attributes: dict[str, str], words: str) -> None:
        if "for" in attributes:
            self._labelled[attributes["for"]] = words
        elif self._controls:
            self._controls[-1][1].labels.append(words)
