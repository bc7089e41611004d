/** @module Words about an undo. */
export { isDirect } from "../store/record.ts";
export { callsOf } from "../undo/perform.ts";
export { wordsFor } from "../undo/preview.ts";
