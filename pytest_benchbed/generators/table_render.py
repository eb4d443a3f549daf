"""Paint a table crop: the PDF page, and the image rendered from that page.

Needs the extra ``documents`` (reportlab, pypdfium2, Pillow, numpy), imported
when a function is called. The image is the rendered PDF, so both forms agree to
a fraction of a pixel. Same bytes in every process: the PDF writer runs with
``invariant``, fonts are the built-in ones of the renderer (never the system's),
noise comes from PCG64. Compressed bytes may differ between builds of zlib,
hence rendered files are committed and pinned.
"""

from __future__ import annotations

import io
from functools import cache
from typing import TYPE_CHECKING
from typing import Any

from pytest_benchbed.generators.table_crop import Table

if TYPE_CHECKING:
    from PIL.Image import Image

SHADE = 0.9
"""Grey of a header's ground; 1 is white."""
GREYS = 16
"""Images keep this many greys: noise of full depth does not compress."""
NOISE_SIGMA = {"light": 7.0, "heavy": 16.0}
SPECKS_PER_MEGAPIXEL = {"light": 150, "heavy": 900}


def render(table: Table, seed: int) -> tuple[bytes, bytes]:
    """Return the crop as PNG (8-bit grey) and as one-page PDF.

    A scanned table becomes an image in the PDF, without a text layer, as a
    scanner without OCR would make it; ``seed`` is that of its noise.
    """
    pdf = _vector_pdf(table)
    image = _rasterise(pdf, table.width, table.height)
    if table.noise == "none":
        return _png(_few_greys(image)), pdf
    scanned = _few_greys(_scan(image, table, seed))
    return _png(scanned), _image_pdf(scanned, table)


def _vector_pdf(table: Table) -> bytes:
    canvas, buffer, scale = _canvas(table)
    canvas.setFillGray(SHADE)
    for x0, y0, x1, y1 in table.fills:
        canvas.rect(
            x0 * scale,
            (table.height - y1) * scale,
            (x1 - x0) * scale,
            (y1 - y0) * scale,
            stroke=0,
            fill=1,
        )
    canvas.setFillGray(0)
    canvas.setLineWidth(table.line_px * scale)
    for x0, y0, x1, y1 in table.lines:
        canvas.line(
            x0 * scale, (table.height - y0) * scale, x1 * scale, (table.height - y1) * scale
        )
    for run in table.runs:
        canvas.saveState()
        canvas.translate(run.x * scale, (table.height - run.y) * scale)
        canvas.rotate(90 if run.is_rotated else 0)
        canvas.setFont(run.font, run.size * scale)
        canvas.drawString(0, 0, run.text)
        canvas.restoreState()
    canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def _image_pdf(image: Image, table: Table) -> bytes:
    from reportlab.lib.utils import ImageReader  # type: ignore[import-untyped]

    canvas, buffer, scale = _canvas(table)
    canvas.drawImage(
        ImageReader(image), 0, 0, width=table.width * scale, height=table.height * scale
    )
    canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def _canvas(table: Table) -> tuple[Any, io.BytesIO, float]:
    """Return a canvas of the crop's size, what it writes to, and points per pixel."""
    from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

    scale = 72 / table.dpi
    buffer = io.BytesIO()
    size = (table.width * 72 // table.dpi, table.height * 72 // table.dpi)
    return Canvas(buffer, pagesize=size, invariant=1, pageCompression=1), buffer, scale


def _rasterise(pdf: bytes, width: int, height: int) -> Image:
    """Render the page to ``width`` x ``height`` grey pixels."""
    import pypdfium2  # type: ignore[import-untyped]
    from pypdfium2 import raw

    _use_builtin_fonts()
    document = pypdfium2.PdfDocument(pdf)
    try:
        page = document[0]
        bitmap = pypdfium2.PdfBitmap.new_native(width, height, raw.FPDFBitmap_Gray)
        bitmap.fill_rect((255, 255, 255, 255), 0, 0, width, height)
        raw.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, 0)
        image: Image = bitmap.to_pil().copy()
        return image
    finally:
        document.close()


@cache
def _use_builtin_fonts() -> object:
    """Take the system's fonts away from the renderer, for the rest of the process.

    It would paint Helvetica with whatever similar font is installed. A font
    source that offers nothing leaves the fonts inside the library. The result
    is cached because the library keeps a pointer to it.
    """
    from pypdfium2 import raw

    nothing = raw.FPDF_SYSFONTINFO()
    nothing.version = 1
    raw.FPDF_SetSystemFontInfo(nothing)
    return nothing


def _scan(image: Image, table: Table, seed: int) -> Image:
    """Turn, blur and soil the image like a flat-bed scan."""
    import numpy
    from PIL import Image
    from PIL import ImageFilter

    turned = image.rotate(table.skew / 100, Image.Resampling.BICUBIC, fillcolor=255)
    soft = turned.filter(ImageFilter.GaussianBlur(0.5))
    grey = numpy.asarray(soft, dtype=numpy.float64)
    random = numpy.random.Generator(numpy.random.PCG64(seed))
    # Paper is never quite white, nor toner quite black.
    grey = 18 + grey * (236 - 18) / 255
    grey = grey + random.normal(0, NOISE_SIGMA[table.noise], grey.shape)
    count = SPECKS_PER_MEGAPIXEL[table.noise] * grey.size // 1_000_000
    rows = random.integers(0, grey.shape[0], count)
    columns = random.integers(0, grey.shape[1], count)
    grey[rows, columns] = random.integers(40, 140, count)
    return Image.fromarray(numpy.clip(numpy.rint(grey), 0, 255).astype(numpy.uint8))


def _few_greys(image: Image) -> Image:
    step = 255 // (GREYS - 1)
    return image.point([min(255, (value + step // 2) // step * step) for value in range(256)])


def _png(image: Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()
