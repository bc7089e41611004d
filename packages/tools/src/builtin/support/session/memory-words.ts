import type { MemoryEntry } from "@haft/core/tool";

/** One entry of the memory as a line for the model. */
export const entryWords = ({ id, text, scope, at, origin }: MemoryEntry): string =>
  `${id} (${scope}${at === undefined ? "" : `, ${at.slice(0, 10)}`}${origin === "stranger" ? ", seen by the user" : ""}): ${text}`;
