/** @module The part of a result that the model gets, the spill of the rest, and hidden characters in it. */
export { BATCH_CHARS, RESULT_CHARS, type Spill, shapeOf } from "./budget.ts";
export { namesHidden, showHidden, withHidden } from "./hidden.ts";
export { truncate } from "./truncate.ts";
