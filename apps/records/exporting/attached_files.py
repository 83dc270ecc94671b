"""Files of a record that its owner opened here and that we keep: after the link has ended, ours may be the only copies.

Each is byte for byte as it was fetched. Its name and suffix are ours: a name can reveal something about health, and
markup gets the suffix of plain text, so that opening it executes nothing.
"""

import json
from collections.abc import Iterator

from apps.records.attachments import sniffing, storing
from apps.records.exporting import added_resources
from apps.records.exporting.added_resources import Count
from apps.records.exporting.archives import File
from apps.records.exporting.stored import Source
from apps.vault import sealing
from apps.vault.sealing import Holder


def files(source: Source, count: Count) -> Iterator[File]:
    """Each file, one in memory at a time, followed by an index with one line for each, saying to which entry it
    belongs; nothing if none are kept. Files that do not open are noted in `count`.

    Raises `apps.vault.errors.VaultError` if nothing of this person can be opened.
    """
    index: list[bytes] = []
    with sealing.key_ring(Holder.user(source.user_id)) as ring:
        for number, kept in enumerate(storing.all_of(source.connection_id, source.user_id, ring), start=1):
            if kept.content is None:
                count.oddities.append(added_resources.unopened_file(f"{kept.resource_type}/{kept.logical_id}"))
                continue
            name = f"files/{number}.{sniffing.type_of(kept.content, declared=None).suffix}"
            yield File(f"{source.folder}/{name}", (kept.content,), largest=len(kept.content))
            index.append(_line(source, kept, name))
    if index:
        yield File(f"{source.folder}/files.ndjson", index)


def _line(source: Source, kept: storing.KeptFile, name: str) -> bytes:
    told = {
        "file": name,
        "fullUrl": source.full_url(kept.resource_type, kept.logical_id),
        "fetchedAt": added_resources.instant(kept.fetched_at),
    }
    return json.dumps(told).encode() + b"\n"
