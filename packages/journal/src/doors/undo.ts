/** @module Words about an undo. */
export { callsOf } from "../undo/perform.ts";
export { wordsFor } from "../undo/preview.ts";
