/** @module What is known without a fence: whether there is bubblewrap, which variables are kept, how programs ended. */
export { confinedEnvironment } from "../environment.ts";
export { findBwrap } from "../find-bwrap.ts";
export { type Code, saidSignalOf, signalOf } from "../outcome.ts";
