"""Name the browser and the system of a User-Agent header, as people know them. This is a guess; nothing is decided by
it.
"""

from django.utils.translation import gettext as _

# The first match wins: Edge also says Chrome, Chrome also says Safari, an iPhone also says Mac OS X.
BROWSERS = (
    ("Edg", "Microsoft Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "Mac"),
    ("Linux", "Linux"),
)


def browser_name(user_agent: str) -> str:
    """Such as "Firefox", or "an unknown browser"."""
    return next((name for mark, name in BROWSERS if mark in user_agent), _("an unknown browser"))


def system_name(user_agent: str) -> str:
    """Such as "Windows", or "an unknown system"."""
    return next((name for mark, name in SYSTEMS if mark in user_agent), _("an unknown system"))
