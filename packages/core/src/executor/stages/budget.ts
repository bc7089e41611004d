import { applyBudget, RESULT_CHARS } from "../../budget/index.ts";
import type { Flight, Stage } from "../flight.ts";
import { withContext } from "./hooks.ts";

/** Fits the result, errors too, into what the model may get; the whole is kept in a file. */
export const budget: Stage = async (flight: Flight) => {
  const result = { ...flight.result!, content: withContext(flight.result!.content, flight.context) };
  const limit = flight.entry?.tool.limits?.resultChars ?? flight.machine.resultChars ?? RESULT_CHARS;
  flight.result = await applyBudget(result, limit, flight.call.id, flight.machine.spill);
};
