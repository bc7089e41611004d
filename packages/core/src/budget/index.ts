/** @module How much of a result the model gets, and where the rest goes; what is hidden in it. */
export { BATCH_CHARS, RESULT_CHARS, type Spill } from "./budget.ts";
export { namesHidden, showHidden, withHidden } from "./hidden.ts";
