"""Which kind of image a file is, by its first bytes: the ending of a name may be anything."""

from __future__ import annotations


def image_kind(head: bytes) -> str | None:
    """Return ``png``, ``jpeg``, ``gif`` or ``webp``; None if ``head`` begins none of them.

    >>> image_kind(b"GIF89a...")
    'gif'
    """
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    if head.startswith(b"\xff\xd8\xff"):
        return "jpeg"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "gif"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "webp"
    return None
