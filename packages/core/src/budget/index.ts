/** @module How much of a result the model gets, and where the rest goes. */
export { BATCH_CHARS, RESULT_CHARS, type Spill } from "./budget.ts";
