"""Every template and the stylesheet follow the rules of `docs/pages.md`."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
STYLESHEET = (ROOT / "static" / "holdfast.css").read_text()
TEMPLATES = {
    str(path.relative_to(ROOT / "templates")): path.read_text() for path in sorted((ROOT / "templates").rglob("*.html"))
}

TOKEN = re.compile(r"--([a-z0-9-]+): (#[0-9A-Fa-f]{6});")
COLOR = re.compile(r"#[0-9A-Fa-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(")


def themes() -> dict[str, dict[str, str]]:
    """The color tokens of both themes, dark completed by what it does not change."""
    light, rest = STYLESHEET.split("@media (prefers-color-scheme: dark)", maxsplit=1)
    dark = rest.split("@media", maxsplit=1)[0]
    return {"light": dict(TOKEN.findall(light)), "dark": {**dict(TOKEN.findall(light)), **dict(TOKEN.findall(dark))}}


def luminance(color: str) -> float:
    """Relative luminance (WCAG 2.2)."""
    parts = (int(color[position : position + 2], 16) / 255 for position in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast ratio (WCAG 2.2)."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


# What stands on what, and the least contrast it may have: 7 for running text, 4.5 for text, 3 for controls and marks.
PAIRS = [
    *[("text", ground, 7) for ground in ("page", "surface", "muted")],
    *[("text", f"{kind}-tint", 7) for kind in ("done", "info", "needs-you", "fault")],
    *[("text-soft", ground, 4.5) for ground in ("page", "surface", "muted")],
    *[(link, ground, 4.5) for link in ("link", "visited") for ground in ("page", "surface", "muted")],
    *[("link", f"{kind}-tint", 4.5) for kind in ("done", "info", "needs-you", "fault")],
    *[(kind, f"{kind}-tint", 4.5) for kind in ("done", "info", "needs-you", "fault")],
    *[(kind, ground, 4.5) for kind in ("done", "info", "needs-you", "fault") for ground in ("page", "surface")],
    ("action-text", "action", 4.5),
    ("action-text", "action-hover", 4.5),
    ("danger-text", "danger", 4.5),
    *[(control, ground, 3) for control in ("edge", "action", "danger") for ground in ("page", "surface")],
    ("focus-ink", "focus-ring", 4.5),
    *[("chart-line", ground, 3) for ground in ("surface", "chart-band")],
    *[("chart-outside", ground, 3) for ground in ("surface", "chart-band")],
    *[("chart-band-edge", ground, 3) for ground in ("surface", "chart-band")],
    ("chart-second", "surface", 3),
    ("chart-axis", "surface", 4.5),
]


@pytest.mark.parametrize("theme", ["light", "dark"])
class TestAColor:
    @pytest.mark.parametrize(("front", "ground", "least"), PAIRS)
    def test_can_be_read_on_what_it_stands_on(self, theme: str, front: str, ground: str, least: float):
        colors = themes()[theme]
        assert contrast(colors[front], colors[ground]) >= least

    @pytest.mark.parametrize("ground", ["page", "surface", "action", "danger"])
    def test_of_the_focus_is_seen_on_everything(self, theme: str, ground: str):
        colors = themes()[theme]
        assert max(contrast(colors[focus], colors[ground]) for focus in ("focus-ring", "focus-ink")) >= 3


class TestTheStylesheet:
    def test_names_colors_in_its_tokens_only(self):
        below = STYLESHEET.split("/* --- Page", maxsplit=1)[1]
        lines = [line.strip() for line in below.splitlines() if COLOR.search(line)]
        allowed = {"--mark: #000000;", "--tint: #FFFFFF;", "background: #FFFFFF;", "color: #000000;"}
        printed = {f"--{role}: {color};" for role, color in TOKEN.findall(below)}
        assert [line for line in lines if line not in allowed | printed] == []

    def test_defines_every_token_it_uses(self):
        used = set(re.findall(r"var\(--([a-z0-9-]+)\)", STYLESHEET))
        assert used - set(re.findall(r"--([a-z0-9-]+):", STYLESHEET)) == set()

    def test_gives_both_themes_the_same_tokens(self):
        light, rest = STYLESHEET.split("@media (prefers-color-scheme: dark)", maxsplit=1)
        names = dict(TOKEN.findall(light)).keys()
        dark = dict(TOKEN.findall(rest.split("@media", maxsplit=1)[0])).keys()
        assert names - dark == {"focus-ring", "focus-ink"}

    @pytest.mark.parametrize(
        "role",
        [
            *("text", "text-soft", "link", "visited", "edge"),
            *("chart-line", "chart-outside", "chart-band-edge", "chart-second", "chart-axis"),
        ],
    )
    def test_prints_in_ink_also_where_the_screen_is_dark(self, role: str):
        paper = dict(TOKEN.findall(STYLESHEET.split("@media print", maxsplit=1)[1].split("@page", maxsplit=1)[0]))
        assert contrast({**themes()["dark"], **paper}[role], "#FFFFFF") >= 7

    def test_says_each_sign_with_words_in_its_place_without_them_before(self):
        """A browser that does not know the second form drops the whole line, and shows no sign (Safari before 17.4)."""
        signs = re.findall(r"content: ([^;/]+) / \"\";", STYLESHEET)
        alone = re.findall(r"content: ([^;/]+);[^\n]*\n\s*content: \1 / \"\";", STYLESHEET)
        assert signs
        assert alone == signs

    def test_marks_a_text_to_copy_on_an_iphone_as_well(self):
        assert STYLESHEET.count("-webkit-user-select: ") == len(re.findall(r"(?<!-)user-select: ", STYLESHEET))

    def test_hides_the_arrow_of_a_fold_in_older_safari_as_elsewhere(self):
        """Which draws one however the summary is laid out and listed."""
        rules = re.findall(r"([^{}\n]*\bsummary) {([^}]*)}", STYLESHEET)
        bare = {name.strip() for name, rule in rules if "list-style: none" in rule}
        own_signs = {name.strip() for name in re.findall(r"\n([^{}\n\[]*\bsummary)::after {", STYLESHEET)}
        hidden = {name.strip() for name in re.findall(r"([^{}\n]*)::-webkit-details-marker {", STYLESHEET)}
        assert own_signs == {".filters summary"}
        assert hidden == bare | own_signs

    def test_loads_nothing(self):
        assert "url(" not in STYLESHEET
        assert "@import" not in STYLESHEET

    @pytest.mark.parametrize(
        "wish",
        [
            "prefers-color-scheme: dark",
            "prefers-contrast: more",
            "prefers-reduced-motion",
            "forced-colors: active",
            "print",
        ],
    )
    def test_follows_the_wishes_of_its_reader(self, wish: str):
        assert re.search(rf"@media \(?{wish}", STYLESHEET)


class TestTheTemplates:
    """Each rule for all of them: where one is broken, the names of those that break it are told."""

    def test_have_no_inline_style(self):
        assert those(lambda source: re.search(r"<style|\sstyle\s*=", source)) == []

    def test_have_no_inline_script(self):
        scripts = re.compile(r"<script\b(?![^>]*(?:src=|type=\"application/json\"))")
        assert those(lambda source: scripts.search(source)) == []
        assert those(lambda source: re.search(r"\son[a-z]+\s*=|javascript:", source)) == []

    def test_ask_no_other_site_for_anything(self):
        assert those(lambda source: re.search(r"(?:src|href|action)=[\"'](?:https?:)?//", source)) == []

    def test_stand_in_the_base_or_are_part_of_something(self):
        # what is made a PDF has no way to anywhere, and no script
        assert those(lambda source: "<!DOCTYPE" in source) == ["base.html", "records/exporting/paper.html"]

    def test_let_no_phone_make_a_call_of_what_may_be_any_number(self):
        """Safari would of an identifier, too; what can be called is a link of ours."""
        assert '<meta name="format-detection" content="telephone=no">' in TEMPLATES["base.html"]

    def test_let_no_phone_mend_the_names_that_patients_search_for(self):
        searches = {name: re.findall(r'<input\b[^>]*type="search"[^>]*>', source) for name, source in TEMPLATES.items()}
        of_patients = {name: tags for name, tags in searches.items() if tags and "/desk/" not in name}
        assert of_patients.keys() == {"records/search_box.html", "directory/find.html"}
        assert [name for name, tags in of_patients.items() if any('autocorrect="off"' not in tag for tag in tags)] == []

    def test_take_no_markup_on_trust(self):
        assert those(lambda source: re.search(r"\|safe\b|\|safeseq\b|autoescape off", source)) == []

    def test_name_no_provider_in_their_titles(self):
        title = re.compile(r"{% block (?:head_)?title %}(.*?){% endblock", re.DOTALL)
        assert those(lambda source: any("{{" in told for told in title.findall(source))) == []

    def test_put_their_heading_before_what_is_wrong_with_their_form(self):
        """Which has a heading of the second level."""
        summary = '{% include "partials/error-summary.html" %}'
        assert those(lambda source: summary in source and "<h1>" not in source.partition(summary)[0]) == []

    def test_give_every_icon_to_the_eyes_only(self):
        assert those(lambda source: any(map(not_for_eyes_only, re.findall(r"<svg\b[^>]*>", source)))) == []


def not_for_eyes_only(tag: str) -> bool:
    """Whether a drawing is neither hidden from assistive technology nor a labeled image."""
    return "aria-hidden" not in tag and 'role="img"' not in tag


def those(is_so: Callable[[str], object]) -> list[str]:
    """The templates of whose text this is so."""
    return [name for name, source in TEMPLATES.items() if is_so(source)]
