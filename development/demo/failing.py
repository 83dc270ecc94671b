"""How the demo fails: with one sentence."""


class CannotRun(Exception):
    """Its text is the sentence that is shown on the terminal."""
