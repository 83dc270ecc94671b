"""What could be read of a text that a provider wrote, as blocks that a page can show: headings, paragraphs, items of
lists and rows of tables. Nothing of its markup is left, so nothing of it can act."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from enum import StrEnum

MOST_CHARACTERS = 300_000  # a long book; a page of more helps nobody
MOST_BLOCKS = 10_000
LONGEST_MARKUP = 5_000_000
MOST_PIECES = 400_000  # of markup; more, in so little text, was made to keep us busy
GAP = "[…]"  # in place of words that were crossed out: no language's own
NOTHING = "—"  # in an empty cell


class BlockKind(StrEnum):
    """How a block is shown."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    NUMBERED = "numbered"  # an item of an ordered list, whose text begins with its number
    ROW = "row"
    ALIGNED = "aligned"  # by spaces, which are kept: a table of figures, typed
    REMARK = "remark"  # in words of ours, such as that nothing is written
    PICTURE = "picture"
    UNSHOWN = "unshown"  # a picture that no page shows, or that we have not


_PICTURES = frozenset({BlockKind.PICTURE, BlockKind.UNSHOWN})


@dataclass(frozen=True)
class Block:
    """One block. A row has `cells`; every other block `text`, whose lines are kept. `picture` says which of its
    document's it is, from 1 on; 0 where we do not have it."""

    kind: BlockKind = BlockKind.PARAGRAPH
    text: str = ""
    cells: tuple[str, ...] = ()
    picture: int = 0

    @property
    def plain(self) -> str:
        """Its text in a line, or in several."""
        return " ".join(self.told) if self.cells else self.text

    @property
    def told(self) -> tuple[str, ...]:
        """Its cells, those without a word as such: what stands behind them is of another column."""
        return tuple(cell or NOTHING for cell in self.cells)


@dataclass(frozen=True)
class Reading:
    """What could be read of a text; `is_cut` where it was longer than we show, `has_gaps` where something of it was
    crossed out by its author, `has_hidden` where it has text that no reader sees: neither is told. `lacks_pictures`
    where it has some that are not among the blocks; `is_damaged` where it is not what it should be, such as ended in
    its middle, and may have said more. `has_marks` where those of a form are in it, which need a word, and
    `has_captions` where what its author says of a picture stands in its place."""

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
        """All of it as text, a block to a line or more."""
        return "\n".join(block.plain for block in self.blocks if block.plain)

    @property
    def says_any(self) -> bool:
        """Whether anything is to be said of it, be it no more than what is left out of it."""
        return bool(self.blocks) or self.is_cut or self.has_hidden or self.lacks_pictures

    @property
    def has_pictures(self) -> bool:
        """Whether pictures stand in it, which its text alone lacks."""
        return self.lacks_pictures or any(block.kind in _PICTURES for block in self.blocks)


def together(several: Iterable[Reading]) -> Reading:
    """Several texts as one, as long as a page shows: what is true of any is true of it."""
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
