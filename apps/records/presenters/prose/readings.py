"""What we could read of a provider's text, as blocks that a page can show: headings, paragraphs, list items and table
rows. No markup is kept, so that none can do any harm."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from enum import StrEnum

MOST_CHARACTERS = 300_000  # about a long book; a longer page helps nobody
MOST_BLOCKS = 10_000
LONGEST_MARKUP = 5_000_000
MOST_PIECES = 400_000  # pieces of markup; more of them in so little text can only be meant to keep us busy
GAP = "[…]"  # in place of words that were crossed out; it belongs to no language
NOTHING = "—"  # in an empty cell


class BlockKind(StrEnum):
    """How a block is shown."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    NUMBERED = "numbered"  # an item of an ordered list, whose text begins with its number
    ROW = "row"
    ALIGNED = "aligned"  # a typed table, aligned by spaces, which are kept
    REMARK = "remark"  # in our words, such as that nothing was written
    PICTURE = "picture"
    UNSHOWN = "unshown"  # a picture that pages cannot show, or that we do not have


_PICTURES = frozenset({BlockKind.PICTURE, BlockKind.UNSHOWN})


@dataclass(frozen=True)
class Block:
    """One block. A row has `cells`; every other block has `text`, whose lines are kept. `picture` is the number of a
    picture in its document, counted from 1; 0 if we do not have it."""

    kind: BlockKind = BlockKind.PARAGRAPH
    text: str = ""
    cells: tuple[str, ...] = ()
    picture: int = 0

    @property
    def plain(self) -> str:
        """The text of the block, on one line or several."""
        return " ".join(self.told) if self.cells else self.text

    @property
    def told(self) -> tuple[str, ...]:
        """The cells, with a mark in empty ones, so that those after them stay in their columns."""
        return tuple(cell or NOTHING for cell in self.cells)


@dataclass(frozen=True)
class Reading:
    """What we could read of a text. `is_cut`: it was longer than we show. `has_gaps`: the author crossed something out;
    `has_hidden`: there is text that readers of the document do not see; both are left out. `lacks_pictures`: there are
    pictures that are not among the blocks. `is_damaged`: it is malformed or cut off, and may have said more.
    `has_marks`: it has a form's marks, which need an explanation. `has_captions`: alternative text replaces
    pictures."""

    blocks: tuple[Block, ...] = ()
    is_cut: bool = False
    has_gaps: bool = False
    has_hidden: bool = False
    lacks_pictures: bool = False
    is_damaged: bool = False
    has_marks: bool = False
    has_captions: bool = False

    @property
    def plain(self) -> str:
        """All of it as text, each block on a line of its own, or several."""
        return "\n".join(block.plain for block in self.blocks if block.plain)

    @property
    def says_any(self) -> bool:
        """Whether there is anything to say about it, even if only that something is left out."""
        return bool(self.blocks) or self.is_cut or self.has_hidden or self.lacks_pictures

    @property
    def has_pictures(self) -> bool:
        """Whether it has pictures, which its text alone would lack."""
        return self.lacks_pictures or any(block.kind in _PICTURES for block in self.blocks)


def together(several: Iterable[Reading]) -> Reading:
    """Several texts as one, up to what a page shows. A flag is set if any of them has it."""
    read = list(several)
    if len(read) == 1:
        return read[0]
    found, left = list[Block](), MOST_CHARACTERS
    for block in (block for one in read for block in one.blocks):
        left -= len(block.plain)
        if left < 0 or len(found) == MOST_BLOCKS:
            break
        found.append(block)
    names = [each.name for each in fields(Reading) if each.name != "blocks"]
    whole = Reading(tuple(found), **{name: any(getattr(one, name) for one in read) for name in names})
    return whole if len(found) == sum(len(one.blocks) for one in read) else replace(whole, is_cut=True)
