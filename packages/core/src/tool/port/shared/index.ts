/** @module Ports to what several sessions or agents share: people, canvases, language servers, memory, schedules, sessions. */
export type * from "./canvas.ts";
export type * from "./channels.ts";
export * from "./language.ts";
export type * from "./memory.ts";
export type * from "./schedules.ts";
export type * from "./sessions.ts";
