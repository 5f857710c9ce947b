"""Changes of a document as one message: JSON for BokehJS, and the bytes that it refers to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from bokeh.core.serialization import Buffer, Serializer
from bokeh.document import Document
from bokeh.document.events import DocumentPatchedEvent
from bokeh.document.json import PatchJson


def patch_of(document: Document, events: Sequence[DocumentPatchedEvent]) -> tuple[str, list[Buffer]]:
    """Events as a patch; what the page has then is no longer sent along."""
    serializer = Serializer(references=document.models.synced_references)
    patch = PatchJson(events=serializer.encode(list(events)))
    document.models.flush_synced(lambda model: not serializer.has_ref(model))
    return json.dumps(patch, default=_reference), serializer.buffers


def _reference(value: Any) -> Any:
    if isinstance(value, Buffer):
        return {"id": value.id}
    raise TypeError(f"{type(value).__name__} is not a part of a patch")
