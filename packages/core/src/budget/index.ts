/** @module How much of a result the model gets, and where the rest goes. */
export * from "./budget.ts";
export * from "./media.ts";
export * from "./truncate.ts";
