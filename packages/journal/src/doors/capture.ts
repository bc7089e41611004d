/** @module Views in which commands run, and the words about their changes. */
export { type CaptureOptions, createCapture } from "../capture.ts";
export { mergedWords } from "../frozen/words.ts";
export { withoutReview } from "../notes.ts";
export { variantsOf } from "../view/tier.ts";
