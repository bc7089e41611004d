/** @module User code around a call. */
export * from "./fold.ts";
export * from "./hook.ts";
