import { applyBudget, BATCH_CHARS, RESULT_CHARS, textLength } from "../../budget/index.ts";
import type { Flight, Stage } from "../flight.ts";
import { withContext } from "./hooks.ts";

/** However much a batch has used up, each further result may still say this much. */
const FLOOR_CHARS = 2_000;

/**
 * Fits the result, errors too, into what the model may get; the whole is kept in a file. Many middling results can flood
 * a model as well as one large one, so what a batch has left bounds each of its results.
 */
export const budget: Stage = async (flight: Flight) => {
  const { machine, batch, entry } = flight;
  const result = { ...flight.result!, content: withContext(flight.result!.content, flight.context) };
  const own = entry?.tool.limits?.resultChars ?? machine.resultChars ?? RESULT_CHARS;
  const left = Math.max(FLOOR_CHARS, (machine.batchChars ?? BATCH_CHARS) - batch.spent);
  // A tool without a limit pages by itself; spilling what it read would only make the model read the spill.
  const limit = own === Number.POSITIVE_INFINITY ? own : Math.min(own, left);
  batch.spent += Math.min(textLength(result.content), limit);
  flight.result = await applyBudget(result, limit, flight.call.id, machine.spill);
};
