"""Why an export was not completed, in words for the operator. They contain nothing that the server said."""

from enum import StrEnum


class Reason(StrEnum):
    """A sentence each: what happened, and what to do."""

    NOT_A_FOLDER = "The output is no folder of your own that is empty or holds this export."
    OTHERS_WRITE = (
        "Others may write into the output folder. Take that from them (chmod go-w), or name a new one; see that nobody "
        "put files there."
    )
    STRANGE_FILES = (
        "A file of this folder is a link, a pipe or somebody else's, and was left alone. Find out who put it there, "
        "and begin again in an empty folder."
    )
    IN_USE = "Another process is at work in this folder."
    UNREADABLE_STATE = "What stands in this folder about an export cannot be read. Begin again in an empty one."
    ANOTHER_EXPORT = "This folder holds an export that was asked for otherwise. Name another folder, or ask as before."
    LEFT_FILES = "Files of another export, or of one that was given up, are in this folder. Begin in an empty folder."
    DISK_FULL = "The disk is full. Make room and run the same command again: it goes on where it stopped."
    NEARLY_FULL = (
        "Less of the disk would stay free than shall (--keep-free). Make room and run the same command again: it goes "
        "on where it stopped."
    )
    TOO_LARGE = (
        "The provider sends a file larger than one may be here (--largest-file). Ask the provider whether it should "
        "be; if so, allow more and run the same command again: it goes on where it stopped."
    )
    UNANNOUNCED = (
        "The provider sends many more lines in a file than it announced, and the file was not taken to its end. Ask "
        "the provider; then run the same command again, or give the export up (--give-up)."
    )
    NOT_WRITABLE = (
        "The folder could not be written. Run the same command again once it can: it goes on where it stopped."
    )
    WRONG_VERSION = "Bulk export is spoken in FHIR R4 alone, and this endpoint is of another version."
    NOT_GRANTED = "The provider did not allow every type that was asked for. Name fewer types."
    GONE = "The provider no longer knows this export. Begin again in an empty folder."
    FAILED = "The provider could not make the export. Give it up (--give-up) and begin again in an empty folder."
    CHANGED = "The provider now lists other files than before. Begin again in an empty folder."
    MISCOUNTED = (
        "Files hold another number of lines than the provider announced. They are marked as miscounted, and the export "
        "was not deleted there: run the same command again to fetch them anew, or give it up (--give-up)."
    )


class NotExported(Exception):
    """The export stopped; `reason` says why. Everything received is kept, unless the reason says otherwise."""

    def __init__(self, reason: Reason) -> None:
        super().__init__()
        self.reason = reason

    def __str__(self) -> str:
        return self.reason.value
