/** @module JavaScript that computes and calls tools, in an interpreter without access to the machine. */
export { createScripts, type ScriptHost } from "./scripts.ts";
