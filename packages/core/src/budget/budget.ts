import { type Content, contentText, ownText, type Result, text } from "../tool/index.ts";
import { type Shape, shapes, truncate } from "./truncate.ts";

/** Limit in characters for one result to the model, unless the tool sets its own. */
export const RESULT_CHARS = 100_000;

/** Limit in characters for all results of one model message together. */
export const BATCH_CHARS = 200_000;

/** Storage for the whole text of a result that is too long. Fails when the disk is full or the folder cannot be written. */
export interface Spill {
  /** Stores `text` for the call and returns the absolute path of the file. */
  write(callId: string, text: string): Promise<string>;
  /** The same for a picture, sound or document, given as base64. */
  writeMedia?(callId: string, data: string, mediaType: string): Promise<string>;
}

/**
 * Fits a result into its budget. The whole of a longer result is spilled to a file that the model can read. The model
 * gets the part that matters, the path and the way to the rest. If even the spill fails, the cut reports it: nothing
 * crashes.
 */
export async function applyBudget(result: Result, limit: number, callId: string, spill?: Spill): Promise<Result> {
  const size = textLength(result.content);
  if (size <= limit) return result;
  const whole = result.content.filter(isTextual).map(contentText).join("\n");
  const cut = truncate(whole, limit, shapeOf(result));
  const kept = await keep(spill, callId, whole);
  const note = kept.path
    ? `[Shown: ${cut.shown}. The whole result is in ${kept.path}; read it with an offset and a limit.]`
    : `[Shown: ${cut.shown}. The rest is lost: ${kept.why}]`;
  const content: Content[] = [text(cut.text), ownText(note), ...result.content.filter((item) => !isTextual(item))];
  if (!kept.path) return { ...result, content };
  const spilled = {
    path: kept.path,
    bytes: new TextEncoder().encode(whole).length,
    lines: whole.split("\n").length,
    shown: cut.shown,
  };
  return { ...result, content, spilled };
}

/** Characters of the parts that count as text. The base64 of images never counts. */
export const textLength = (content: readonly Content[]): number =>
  content.reduce((sum, item) => (isTextual(item) ? sum + contentText(item).length : sum), 0);

const isTextual = (item: Content): boolean =>
  item.type === "text" || item.type === "json" || (item.type === "resource" && item.text !== undefined);

/** Programs print what matters at the end. Other output that looks like that of a terminal keeps its beginning. */
export const shapeOf = ({ display }: Result): Shape =>
  display?.kind === "terminal" && display.command !== undefined ? shapes.terminal : shapes.head;

async function keep(
  spill: Spill | undefined,
  callId: string,
  whole: string,
): Promise<{ path: string; why?: undefined } | { path?: undefined; why: string }> {
  if (!spill) return { why: "this host cannot store files." };
  try {
    return { path: await spill.write(callId, whole) };
  } catch (thrown) {
    return { why: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}
