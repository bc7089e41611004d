/** The number of pixels that a picture says it has, read from its head; `undefined`: it is none that can be read. */
export function pixelsOf(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const starts = (...head: readonly number[]): boolean => head.every((byte, at) => bytes[at] === byte);
  try {
    if (starts(0x89, 0x50, 0x4e, 0x47)) return view.getUint32(16) * view.getUint32(20);
    if (starts(0x47, 0x49, 0x46, 0x38)) return view.getUint16(6, true) * view.getUint16(8, true);
    if (starts(0xff, 0xd8)) return jpegPixels(view);
    if (starts(0x52, 0x49, 0x46, 0x46)) return webpPixels(view);
  } catch {
    // The head ends too early.
  }
  return undefined;
}

/** Goes from segment to segment until the one with the size. */
function jpegPixels(view: DataView): number | undefined {
  for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
    const kind = view.getUint8(at + 1);
    const isFrame = kind >= 0xc0 && kind <= 0xcf && kind !== 0xc4 && kind !== 0xc8 && kind !== 0xcc;
    if (isFrame) return view.getUint16(at + 5) * view.getUint16(at + 7);
  }
  return undefined;
}

function webpPixels(view: DataView): number | undefined {
  const kind = String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)));
  if (kind === "VP8 ") return (view.getUint16(26, true) & 0x3fff) * (view.getUint16(28, true) & 0x3fff);
  if (kind === "VP8L") {
    const bits = view.getUint32(21, true);
    return ((bits & 0x3fff) + 1) * (((bits >>> 14) & 0x3fff) + 1);
  }
  if (kind !== "VP8X") return undefined;
  const side = (at: number): number => view.getUint16(at, true) + view.getUint8(at + 2) * 65_536 + 1;
  return side(24) * side(27);
}
