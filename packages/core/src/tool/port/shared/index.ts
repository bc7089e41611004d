/** @module Ports to what several sessions or agents share: people, canvases, language servers, memory, schedules, sessions. */
export * from "./canvas.ts";
export * from "./channels.ts";
export * from "./language.ts";
export * from "./memory.ts";
export * from "./schedules.ts";
export * from "./sessions.ts";
