"""Bulk export: the records of a whole group, from one endpoint into a folder, for an operator (specification 5.2.6).

Started only by a command. The state is stored in the folder itself and nowhere else, so running the same command again
continues where it stopped.
"""

from apps.directory.bulk_exporting.exporting import Report, export, give_up
from apps.directory.bulk_exporting.means import Limits, Means
from apps.directory.bulk_exporting.refusals import NotExported, Reason
from apps.directory.bulk_exporting.remembering import Wish

__all__ = ["Limits", "Means", "NotExported", "Reason", "Report", "Wish", "export", "give_up"]
