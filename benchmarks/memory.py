"""How much memory this process holds at most."""

import resource
import sys
from pathlib import Path

_UNITS_PER_MB = 1_000_000 if sys.platform == "darwin" else 1000
_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


def forget_peak() -> None:
    """Let the peak begin anew here, where the system can: what was needed to get ready hides nothing then."""
    if _CLEAR.exists():
        _CLEAR.write_text("5", encoding="ascii")


def peak_mb() -> float:
    """The most since then, in MB."""
    if _STATUS.exists():
        (line,) = (line for line in _STATUS.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 1000
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _UNITS_PER_MB
