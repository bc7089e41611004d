/** @module User code around a call. */
export * from "./condition.ts";
export { type Folded, foldBefore } from "./fold.ts";
export type * from "./hook.ts";
