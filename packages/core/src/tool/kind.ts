/** The kind of a call, in the words of editors and protocols (ACP's ToolKind, Gemini CLI's Kind). */
export const kinds = ["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other"] as const;

/** One of the `kinds`. */
export type Kind = (typeof kinds)[number];

/** The kinds that change something, for hosts that know only kinds and want to ask before those. */
export const MUTATOR_KINDS: readonly Kind[] = ["edit", "delete", "move", "execute"];
