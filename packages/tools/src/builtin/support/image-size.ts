/** Width and height of an image in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** The size in an image's header; undefined if the header is cut off or damaged. */
export function imageSize(bytes: Uint8Array, mediaType: string): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const size = readers[mediaType]?.(view);
    return size && size.width > 0 && size.height > 0 ? size : undefined;
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

/** Each follows the specification of its format; reading past the end throws a RangeError. */
const readers: Readonly<Record<string, (view: DataView) => ImageSize | undefined>> = {
  "image/png": (view) =>
    view.getUint32(12) === 0x49484452 ? { width: view.getUint32(16), height: view.getUint32(20) } : undefined,
  "image/gif": (view) => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) }),
  "image/jpeg": jpegSize,
  "image/webp": webpSize,
};

/** Walks from marker to marker until a frame header. */
function jpegSize(view: DataView): ImageSize | undefined {
  for (let at = 2; view.getUint8(at) === 0xff; ) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}

function webpSize(view: DataView): ImageSize | undefined {
  const chunk = view.getUint32(12);
  if (chunk === 0x56503858) return { width: 1 + uint24(view, 24), height: 1 + uint24(view, 27) };
  if (chunk === 0x5650384c) {
    const bits = view.getUint32(21, true);
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >> 14) & 0x3fff) };
  }
  if (chunk !== 0x56503820) return undefined;
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

const uint24 = (view: DataView, at: number): number => view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000;
