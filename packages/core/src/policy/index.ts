/** @module Rules, modes and settings: what may happen, and why. */
export * from "./decision.ts";
