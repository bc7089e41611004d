import { applyBudget, textLength } from "../../budget/budget.ts";
import { BATCH_CHARS, RESULT_CHARS } from "../../budget/index.ts";
import { fitMedia, MEDIA_CHARS, mediaCount, mediaLength, PICTURE_CHARS } from "../../budget/media.ts";
import { type Result, seenAfter } from "../../tool/index.ts";
import { noteSpill } from "../execution/label.ts";
import type { Flight, Stage } from "../flight.ts";
import { withContext } from "./hooks.ts";

/** However much a batch has used up, each further result may still say this much. */
const FLOOR_CHARS = 2_000;

/**
 * Fits the result, errors too, into what the model may get; the whole is kept in a file. Many middling results can flood
 * a model as well as one large one, so what a batch has left bounds each of its results.
 */
export const budget: Stage = (flight: Flight) => {
  const { machine, batch, call } = flight;
  const bare = flight.result!;
  const whole = flight.context.length === 0 ? bare : { ...bare, content: withContext(bare.content, flight.context) };
  const own = resultCharsOf(flight);
  const left = Math.max(FLOOR_CHARS, (machine.batchChars ?? BATCH_CHARS) - batch.spent);
  // A tool without a limit pages by itself; spilling what it read would only make the model read the spill.
  const limit = own === Number.POSITIVE_INFINITY ? own : Math.min(own, left);
  // Room is taken before anything is waited for: the calls of a batch end at the same time.
  const room = Math.max(0, MEDIA_CHARS - batch.media);
  const media = mediaLength(whole.content);
  batch.media += Math.min(media, room);
  const size = textLength(whole.content);
  batch.spent += Math.min(size, limit) + PICTURE_CHARS * mediaCount(whole.content);
  const keep = (result: Result): void => {
    flight.result = result;
    noteSpill(result, flight);
    if (size <= limit) remember(flight);
  };
  if (media <= room && size <= limit) return keep(whole);
  return fitMedia(whole, room, call.id, machine.spill)
    .then((result) => applyBudget(result, limit, call.id, machine.spill))
    .then(keep);
};

/** The nearest word counts: a person's about this tool, the tool's own, a person's about all that say nothing. */
function resultCharsOf({ machine, entry }: Flight): number {
  const set = entry && machine.resultCharsOf?.(entry.tool.name);
  return set ?? entry?.tool.limits?.resultChars ?? machine.resultChars ?? RESULT_CHARS;
}

/** From now on the model knows what its result shows of files. */
function remember({ machine: { seen }, shown }: Flight): void {
  for (const { path, ...view } of shown) seen?.set(path, seenAfter(seen.get(path), view));
}
