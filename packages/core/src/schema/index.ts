/** @module Schemas of every make behind one Standard Schema object, and sentences about what does not fit. */
export * from "./standard.ts";
