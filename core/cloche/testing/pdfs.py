"""PDF files to test with: as small as they can be, in any language, broken or locked on demand."""

from __future__ import annotations

from typing import Final

_TO_UNICODE: Final = b"""/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CMapName /All def /CMapType 2 def
1 begincodespacerange <0000> <FFFF> endcodespacerange
1 beginbfrange <0000> <FFFF> <0000> endbfrange
endcmap end end"""


def pdf_of(*pages: str) -> bytes:
    """A PDF with these pages; "" = one without text, as a scanned one is."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count %d/Kids[%s]>>"
        % (len(pages), b" ".join(b"%d 0 R" % (6 + 2 * n) for n in range(len(pages)))),
        b"<</Type/Font/Subtype/Type0/BaseFont/Any/Encoding/Identity-H"
        b"/DescendantFonts[4 0 R]/ToUnicode 5 0 R>>",
        b"<</Type/Font/Subtype/CIDFontType2/BaseFont/Any"
        b"/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>",
        _stream(_TO_UNICODE),
    ]
    for number, text in enumerate(pages):
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents %d 0 R"
            b"/Resources<</Font<</F 3 0 R>>>>>>" % (7 + 2 * number)
        )
        lines = b" T* ".join(b"<%s> Tj" % _codes(line) for line in text.splitlines())
        shown = b"BT /F 12 Tf 14 TL 50 750 Td %s ET" % lines
        objects.append(_stream(shown if text else b""))
    return _file(objects)


def locked_pdf() -> bytes:
    """A PDF that needs a password."""
    import io

    from pypdf import PdfReader, PdfWriter

    written, writer = io.BytesIO(), PdfWriter(PdfReader(io.BytesIO(pdf_of("Secret."))))
    writer.encrypt("a password", algorithm="RC4-128")
    writer.write(written)
    return written.getvalue()


def swelling_pdf(size: int) -> bytes:
    """A small PDF whose only page unpacks to ``size`` bytes."""
    import zlib

    packed = zlib.compress(b" " * size, 9)
    filled = b"<</Filter/FlateDecode/Length %d>>stream\n%s\nendstream" % (len(packed), packed)
    return _file(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R>>",
            filled,
        ]
    )


def heavy_pdf(steps: int, pages: int = 1) -> bytes:
    """A small PDF without words, each page of which takes many steps: time, and memory.

    Args:
        steps: Of a page; a million takes some two seconds, and over 300 MB.
        pages: How many.
    """
    import zlib

    packed = zlib.compress(b"q 1 0 0 1 0 0 cm Q " * steps, 1)
    return _file(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Count %d/Kids[%s]>>" % (pages, b"3 0 R " * pages),
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources"
            b"<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>",
            b"<</Filter/FlateDecode/Length %d>>stream\n%s\nendstream" % (len(packed), packed),
        ]
    )


def _codes(text: str) -> bytes:
    return text.encode("utf-16-be").hex().encode()


def _stream(content: bytes) -> bytes:
    return b"<</Length %d>>stream\n%s\nendstream" % (len(content), content)


def _file(objects: list[bytes]) -> bytes:
    written, places = b"%PDF-1.7\n", []
    for number, one in enumerate(objects, start=1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    number = len(objects) + 1
    trailer = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (number, len(written))
    return b"%sxref\n0 %d\n0000000000 65535 f \n%s%s" % (written, number, table, trailer)
