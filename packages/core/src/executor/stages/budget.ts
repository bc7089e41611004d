import { applyBudget, BATCH_CHARS, RESULT_CHARS, textLength } from "../../budget/budget.ts";
import { fitMedia, MEDIA_CHARS, mediaCount, mediaLength, PICTURE_CHARS } from "../../budget/media.ts";
import { type Result, seenAfter } from "../../tool/index.ts";
import type { CallRun, EndedRun, Stage } from "../call-run.ts";
import { noteSpill } from "../execution/label.ts";
import { withContext } from "./hooks.ts";

/** Every result gets at least this much, however much its batch has used up. */
const FLOOR_CHARS = 2_000;

/**
 * Truncates the result, errors too, to what the model may get; a file holds the whole. Many medium results can flood a
 * model as well as one large one, so the rest of a batch's budget limits each of its results.
 */
export const budget: Stage<EndedRun> = (callRun) => {
  const { machine, batch, call } = callRun;
  const bare = callRun.result;
  const whole = callRun.context.length === 0 ? bare : { ...bare, content: withContext(bare.content, callRun.context) };
  const own = resultCharsOf(callRun);
  const left = Math.max(FLOOR_CHARS, (machine.batchChars ?? BATCH_CHARS) - batch.spent);
  // A tool without a limit does its own paging; spilling what it read would only make the model read the spill.
  const limit = own === Number.POSITIVE_INFINITY ? own : Math.min(own, left);
  // Reserves room before any wait, because the calls of a batch end at the same time.
  const room = Math.max(0, MEDIA_CHARS - batch.media);
  const media = mediaLength(whole.content);
  batch.media += Math.min(media, room);
  const size = textLength(whole.content);
  batch.spent += Math.min(size, limit) + PICTURE_CHARS * mediaCount(whole.content);
  const keep = (result: Result): void => {
    callRun.result = result;
    noteSpill(result, callRun);
    if (size <= limit) remember(callRun);
  };
  if (media <= room && size <= limit) return keep(whole);
  return fitMedia(whole, room, call.id, machine.spill)
    .then((result) => applyBudget(result, limit, call.id, machine.spill))
    .then(keep);
};

/** The most specific setting counts: a person's for this tool, the tool's own, a person's for all tools without one. */
function resultCharsOf({ machine, entry }: CallRun): number {
  const set = entry && machine.resultCharsOf?.(entry.tool.name);
  return set ?? entry?.tool.limits?.resultChars ?? machine.resultChars ?? RESULT_CHARS;
}

/** Records the file contents that the result shows as known to the model. */
function remember({ machine: { seen }, shown }: CallRun): void {
  for (const { path, ...view } of shown) seen?.set(path, seenAfter(seen.get(path), view));
}
