"""Animated PNG of a window. Each frame contains only the changed part."""

import base64
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

_SIGNATURE = b"\x89PNG\r\n\x1a\n"

# A browser decodes, compares and encodes pictures faster than Python could.
_CHANGED_PART = """
async ([before, after]) => {
  const pixels = async source => {
    const image = new Image();
    image.src = 'data:image/png;base64,' + source;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d', { alpha: false, willReadFrequently: true });
    context.drawImage(image, 0, 0);
    return { canvas, data: new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer) };
  };
  const now = await pixels(after);
  const { width, height } = now.canvas;
  let [left, top, right, bottom] = before ? [width, height, -1, -1] : [0, 0, width - 1, height - 1];
  if (before) {
    const then = await pixels(before);
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++)
        if (then.data[y * width + x] !== now.data[y * width + x]) {
          left = Math.min(left, x); right = Math.max(right, x);
          top = Math.min(top, y); bottom = Math.max(bottom, y);
        }
  }
  if (right < 0) return null;
  const part = new OffscreenCanvas(right - left + 1, bottom - top + 1);
  part.getContext('2d', { alpha: false }).drawImage(now.canvas, -left, -top);
  const blob = await part.convertToBlob({ type: 'image/png' });
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = '';
  for (const it of bytes) text += String.fromCharCode(it);
  return [left, top, btoa(text)];
}
"""


@dataclass(slots=True)
class _Frame:
    png: bytes
    left: int
    top: int
    milliseconds: int


class Film:
    """Pictures of a page, one after the other."""

    def __init__(self, page: "Page", desk: "Page") -> None:
        """`desk` is an empty page for image processing."""
        self._page = page
        self._desk = desk
        self._last = ""
        self._frames: list[_Frame] = []
        self._poster = b""

    async def frame(self, milliseconds: int) -> None:
        """Record the current picture for a duration."""
        picture = base64.b64encode(await self._page.screenshot()).decode()
        part = await self._desk.evaluate(_CHANGED_PART, [self._last, picture])
        if part is None:
            self._frames[-1].milliseconds += milliseconds
            return
        left, top, png = part
        self._frames.append(_Frame(base64.b64decode(png), left, top, milliseconds))
        self._last = picture

    async def poster(self) -> None:
        """Use the current picture as the poster, for programs without animation support."""
        _, _, png = await self._desk.evaluate(_CHANGED_PART, ["", self._last])
        self._poster = base64.b64decode(png)

    def write(self, path: Path) -> None:
        path.write_bytes(_animated(self._frames, self._poster))


async def film_of(page: "Page", browser: "Browser") -> Film:
    return Film(page, await browser.new_page())


def _animated(frames: list[_Frame], poster: bytes) -> bytes:
    """Return the frames as an APNG file. The poster is not part of the animation."""
    first = dict(_chunks(frames[0].png))
    result = _SIGNATURE + _chunk(b"IHDR", first[b"IHDR"])
    result += _chunk(b"acTL", struct.pack(">II", len(frames), 0))
    for name, data in _chunks(poster):
        if name == b"IDAT":
            result += _chunk(name, data)
    number = 0
    for frame in frames:
        chunks = list(_chunks(frame.png))
        header = dict(chunks)[b"IHDR"]
        assert header[8:] == first[b"IHDR"][8:], "frames are encoded differently"
        width, height = struct.unpack(">II", header[:8])
        place = struct.pack(">IIIII", number, width, height, frame.left, frame.top)
        result += _chunk(b"fcTL", place + struct.pack(">HHBB", frame.milliseconds, 1000, 0, 0))
        number += 1
        for name, data in chunks:
            if name == b"IDAT":
                result += _chunk(b"fdAT", struct.pack(">I", number) + data)
                number += 1
    return result + _chunk(b"IEND", b"")


def _chunks(png: bytes) -> list[tuple[bytes, bytes]]:
    found = []
    position = len(_SIGNATURE)
    while position < len(png):
        (length,) = struct.unpack(">I", png[position : position + 4])
        found.append((png[position + 4 : position + 8], png[position + 8 : position + 8 + length]))
        position += 12 + length
    return found


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
