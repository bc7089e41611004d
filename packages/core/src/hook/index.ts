/** @module User code around a call. */
export * from "./condition.ts";
export * from "./fold.ts";
export * from "./hook.ts";
