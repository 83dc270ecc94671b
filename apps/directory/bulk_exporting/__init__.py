"""Bulk export: the records of a whole group, from one endpoint into a folder, for an operator (specification 5.2.6).

Begun by a command alone. What is under way stands in the folder itself and nowhere else, so that whoever runs the same
command again goes on where it stopped.
"""

from apps.directory.bulk_exporting.exporting import Report, export, give_up
from apps.directory.bulk_exporting.means import Limits, Means
from apps.directory.bulk_exporting.refusals import NotExported, Reason
from apps.directory.bulk_exporting.remembering import Wish

__all__ = ["Limits", "Means", "NotExported", "Reason", "Report", "Wish", "export", "give_up"]
