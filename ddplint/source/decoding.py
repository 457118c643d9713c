"""Bytes of a Python file → its text: encoding cookie, byte order mark, and clear refusals."""

from __future__ import annotations

import codecs
import io
import re
from dataclasses import dataclass

_NEWLINE = re.compile("\r\n|\n|\r")


class DecodingError(ValueError):
    """The bytes are no Python text. ``line`` is 1-based; the text is one sentence for the user."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class Decoded:
    """The text without its byte order mark, and what is needed to write it back as it was."""

    text: str
    encoding: str
    bom: bytes


def decode(data: bytes) -> Decoded:
    """The text of a Python source file, newlines untouched.

    Parameters: ``data``, the whole file. Raises :class:`DecodingError` for UTF-16 and UTF-32, NUL bytes, unknown
    encodings, and bytes that the file's encoding does not have.
    """
    refuse_binary(data)
    bom = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    encoding = _encoding(data)
    try:
        return Decoded(data[len(bom) :].decode(encoding), encoding, bom)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, len(bom) + error.start) + 1
        byte = f"byte 0x{data[len(bom) + error.start]:02x}"
        hint = "name the encoding in the first line (# -*- coding: latin-1 -*-) or save the file as UTF-8"
        raise DecodingError(f"{byte} is not {encoding.upper()}; {hint}", line) from None


def refuse_binary(data: bytes) -> None:
    """Raise :class:`DecodingError` where ``data`` cannot be Python in any encoding: UTF-16, UTF-32, NUL bytes."""
    if data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        raise DecodingError("the file is UTF-32, which Python does not read; save it as UTF-8")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise DecodingError("the file is UTF-16, which Python does not read; save it as UTF-8")
    at = data.find(b"\0")
    if at >= 0:
        raise DecodingError("the file holds NUL bytes: it is not Python text", data.count(b"\n", 0, at) + 1)


def newline_of(text: str) -> str:
    r"""The first line end of ``text``: ``"\n"``, ``"\r\n"`` or ``"\r"``; ``"\n"`` where there is none."""
    found = _NEWLINE.search(text)
    return found.group() if found else "\n"


def _encoding(data: bytes) -> str:
    head = data[:1024].splitlines()[:2]
    if not any(b"coding" in line for line in head):
        return "utf-8"
    import tokenize

    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as error:
        raise DecodingError(f"{error.msg}".replace(" for '<file>'", "")) from None
    return "utf-8" if encoding == "utf-8-sig" else encoding
