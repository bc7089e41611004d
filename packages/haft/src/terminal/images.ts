import { createHash } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Display } from "@haft/core/tool";

export type Image = Pick<Extract<Display, { kind: "image" }>, "data" | "mediaType">;
/** The two ways in which terminals take images. */
export type ImageProtocol = "kitty" | "iterm";

/** The way of this terminal, by its environment. A multiplexer in between takes images out, so it counts as none. */
export function imageProtocol(env: NodeJS.ProcessEnv): ImageProtocol | undefined {
  const { TMUX, STY, TERM = "", TERM_PROGRAM = "", KITTY_WINDOW_ID, HAFT_IMAGES } = env;
  if (HAFT_IMAGES === "kitty" || HAFT_IMAGES === "iterm") return HAFT_IMAGES;
  if (TMUX || STY || HAFT_IMAGES === "off") return undefined;
  if (KITTY_WINDOW_ID || TERM === "xterm-kitty" || TERM === "xterm-ghostty" || TERM_PROGRAM === "ghostty")
    return "kitty";
  return TERM_PROGRAM === "iTerm.app" || TERM_PROGRAM === "WezTerm" ? "iterm" : undefined;
}

/** Rows of an image. The width follows from it. */
const ROWS = 12;
/** Largest image that is sent, in base64 characters, and its most pixels: a small file can unpack to a huge picture. */
const MOST_CHARS = 6_000_000;
const MOST_PIXELS = 40_000_000;
const CHUNK = 4096;

/** The control sequence that draws an image; `undefined` if the terminal could not take it. */
export function imageSequence({ data, mediaType }: Image, protocol: ImageProtocol): string | undefined {
  if (data.length > MOST_CHARS || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return undefined;
  const pixels = pngPixels(data);
  if (pixels === undefined ? mediaType === "image/png" : pixels > MOST_PIXELS) return undefined;
  if (protocol === "iterm") {
    const size = Math.floor((data.length * 3) / 4);
    return `\u001b]1337;File=inline=1;size=${size};height=${ROWS};preserveAspectRatio=1:${data}\u0007`;
  }
  // Kitty unpacks PNG only.
  if (pixels === undefined) return undefined;
  const chunks = data.match(new RegExp(`.{1,${CHUNK}}`, "g")) ?? [];
  return chunks
    .map((chunk, at) => {
      const keys = at === 0 ? `a=T,f=100,q=2,r=${ROWS},` : "";
      return `\u001b_G${keys}m=${at === chunks.length - 1 ? 0 : 1};${chunk}\u001b\\`;
    })
    .join("");
}

/** The number of pixels that the header of a PNG claims; `undefined` for anything else. */
function pngPixels(data: string): number | undefined {
  const head = Buffer.from(data.slice(0, 64), "base64");
  const isPng = head.length >= 24 && head.subarray(0, 8).equals(Buffer.from("89504e470d0a1a0a", "hex"));
  return isPng ? head.readUInt32BE(16) * head.readUInt32BE(20) : undefined;
}

const ENDINGS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
};

/** Writes an image to a folder that only the user reads, once; returns its path. `undefined` for an unknown kind. */
export function savedImage({ data, mediaType }: Image, folder: string): string | undefined {
  const ending = ENDINGS[mediaType];
  if (ending === undefined || data.length > MOST_CHARS) return undefined;
  const path = join(folder, `${createHash("sha256").update(data).digest("hex").slice(0, 16)}.${ending}`);
  try {
    if (!existsSync(path)) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(path, Buffer.from(data, "base64"), { mode: 0o600 });
    }
    return path;
  } catch {
    return undefined;
  }
}

/** The images of a display. */
export const imagesIn = (display: Display | undefined): readonly Image[] =>
  display?.kind === "image" ? [display] : display?.kind === "group" ? display.items.flatMap(imagesIn) : [];
