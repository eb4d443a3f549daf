"""Which files a case of each tier has (ENV-013)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

IMAGE_SUFFIXES = frozenset(
    {".bmp", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".tif", ".tiff", ".webp"}
)


def tier_fault(tier: str | None, files: Sequence[str]) -> str | None:
    """Return what is wrong with the files of a case, or None.

    ``component``: one crop, cell or page, which may come in two forms, an
    image and a PDF (a cell may be text and need no file). ``document``: one
    PDF. ``site``: at least one file. Without a tier: any.

    Args:
        tier: of the benchmark type.
        files: paths, those of the case's context included.
    """
    suffixes = [PurePosixPath(path).suffix.lower() for path in files]
    images = sum(suffix in IMAGE_SUFFIXES for suffix in suffixes)
    documents = suffixes.count(".pdf")
    others = sorted({suffix or "none" for suffix in suffixes} - IMAGE_SUFFIXES - {".pdf"})
    if tier == "component":
        if others:
            return f"a component is an image, a PDF or both; a file has the suffix {others[0]}"
        if images > 1 or documents > 1:
            return (
                f"a component is one crop or page; the case has {images} images and "
                f"{documents} PDFs"
            )
    if tier == "document" and (documents != 1 or len(files) != 1):
        return f"a document is one PDF; the case has {len(files)} files, {documents} of them PDFs"
    if tier == "site" and not files:
        return "a site is a record of documents; the case has no file"
    return None
