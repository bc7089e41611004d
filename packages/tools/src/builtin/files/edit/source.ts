import { createHash } from "node:crypto";
import { type Effect, type Files, fail, read, type TextFile, write } from "@haft/core/tool";

/** The data that the Files port needs to write a text in the file's form. */
export interface Written {
  readonly data: string | Uint8Array;
  readonly like?: Pick<TextFile, "encoding" | "bom">;
}

/** A file's text for an edit, and how to write another text that keeps every byte outside the edit. */
export interface Source extends TextFile {
  /** Converts a text to the form in which this file is written. */
  written(text: string): Written;
  /** Converts a text of this file for display. */
  shown(text: string): string;
}

/**
 * The effects of changing part of a file. They include reading it: an answer shows its content, and even "is not in the
 * file" reveals something. So an edit of a private file asks as any read does.
 */
export const editEffects = (path: string): readonly Effect[] => [write(path, "modify"), read(path)];

/**
 * Reads a text file for an edit. Most files decode cleanly and are encoded again. A UTF-8 file with a few invalid bytes
 * is read byte by byte, unless only the other reading contains the text that is searched for.
 */
export async function readSource(
  files: Files,
  path: string,
  wanted: readonly string[],
  encoding?: string,
): Promise<Source> {
  const { guessed, ...file } = await files.text(path, encoding === undefined ? {} : { encoding });
  const clean: Source = {
    ...file,
    ...(guessed ? { guessed } : {}),
    written: (text) => ({ data: text, like: file }),
    shown: (text) => text,
  };
  if (encoding !== undefined) return clean;
  if (file.encoding.startsWith("utf-") && !file.text.includes("\ufffd")) return clean;
  if (file.encoding === "utf-8" && !file.bom) return clean;
  const bytes = await files.bytes(path);
  checkSame(bytes, file.hash, path);
  if (/^utf-(?:16|32)/.test(file.encoding)) return checkFaithful(clean, bytes, path);
  const { decodeEscaped, encodeEscaped, shownText } = await import("./escaped-bytes.ts");
  const damaged = decodeEscaped(bytes.subarray(file.bom ? 3 : 0));
  const isDamaged = file.bom ? damaged.stray > 0 : damaged.wide > 0 && damaged.wide >= damaged.stray;
  const isOnlyInClean = !file.bom && wanted.some((text) => file.text.includes(text) && !damaged.text.includes(text));
  if (!isDamaged || isOnlyInClean) return clean;
  return {
    ...file,
    encoding: "utf-8",
    text: damaged.text,
    written: (text) => ({ data: withBom(encodeEscaped(text), file.bom) }),
    shown: shownText,
  };
}

/**
 * Refuses a file whose characters are not its content: a PDF lists its parts by byte offset, and a notebook is changed
 * cell by cell. A broken notebook counts as plain text, because nothing else can repair it.
 */
export function refuseStructured(path: string, text: string): void {
  if (/^\ufeff?%PDF-\d/.test(text))
    fail(
      "validation_failed",
      `${path} is a PDF; an edit of its raw text would break it.`,
      "Nothing was written. Read shows its text. Change its source document, or use a program for PDFs (Bash: qpdf).",
      { path },
    );
  if (path.toLowerCase().endsWith(".ipynb") && isNotebook(text))
    fail(
      "validation_failed",
      `${path} is a notebook; its cells are not edited as raw text.`,
      "Nothing was written. Use NotebookEdit with the number or id of the cell.",
      { path },
    );
}

function isNotebook(text: string): boolean {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null && "cells" in parsed && Array.isArray(parsed.cells);
  } catch {
    return false;
  }
}

/** Refuses bytes that do not match the known hash. */
export function checkSame(bytes: Uint8Array, hash: string, path: string): void {
  if (createHash("sha256").update(bytes).digest("hex") === hash) return;
  fail("file_changed", `${path} changed while it was being read.`, "Nothing was written. Try again.", { path });
}

/** Refuses a wide encoding with invalid bytes: it cannot be written back unchanged. */
function checkFaithful(source: Source, bytes: Uint8Array, path: string): Source {
  const unit = source.encoding.startsWith("utf-16") ? 2 : 4;
  const isWhole = bytes.length % unit === 0 && (unit === 2 || !source.text.includes("\ufffd"));
  if (isWhole) return source;
  return fail(
    "validation_failed",
    `${path} is ${source.encoding} with broken characters; an edit would change them.`,
    "Nothing was written. Repair the file first (Bash: iconv), then edit it.",
    { path },
  );
}

function withBom(bytes: Uint8Array, bom: boolean): Uint8Array {
  if (!bom) return bytes;
  const marked = new Uint8Array(bytes.length + 3);
  marked.set([0xef, 0xbb, 0xbf]);
  marked.set(bytes, 3);
  return marked;
}
