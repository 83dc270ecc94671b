"""The switches of the data routes: shapes, paging, required parameters, error forms, media types."""

from apps.sandbox.switches.switch import Switch

DATA_SWITCHES: dict[str, Switch] = {}
