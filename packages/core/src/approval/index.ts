/** @module Asking people, and what an answer leaves behind. */
export * from "./request.ts";
