/** @module What calls change, kept so that it can be undone. */
export type { Capture } from "./capture.ts";
export type { CopyCost } from "./copy-cost.ts";
export { inWords } from "./fault.ts";
export type { Frozen } from "./frozen/freeze.ts";
export type { Merged } from "./frozen/merge.ts";
export type { JournalCure, JournalHints } from "./hints.ts";
export { type EntryChanges, type HostJournal, type JournalOptions, openJournal } from "./journal.ts";
export { type ChainReport, checkChain, openChain } from "./store/chain.ts";
export type { Change, Held, Loss } from "./store/record.ts";
export type { Recovered } from "./store/recovered.ts";
export type { PastState } from "./undo/past.ts";
export type { Undone, UndoneCall, UndoOptions } from "./undo/perform.ts";
export type { Conflict, Plan } from "./undo/plan.ts";
export type { Preview } from "./undo/preview.ts";
export type { UndoScope } from "./undo/select.ts";
export type { HeldContent } from "./view/held.ts";
export { HELD_WHY } from "./view/held-changes.ts";
