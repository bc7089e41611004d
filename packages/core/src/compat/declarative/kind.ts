import type { Kind as HaftKind } from "../../tool/index.ts";

export { MUTATOR_KINDS } from "../../tool/index.ts";

/** The action of a tool, in one word. */
export const Kind = {
  Read: "read",
  Edit: "edit",
  Delete: "delete",
  Move: "move",
  Search: "search",
  Execute: "execute",
  Think: "think",
  Fetch: "fetch",
  Other: "other",
} as const satisfies Record<string, HaftKind>;

export type Kind = (typeof Kind)[keyof typeof Kind];

/** The kinds that need no confirmation by default. A rule may still ask. */
export const UNCONFIRMED_KINDS: readonly Kind[] = [Kind.Read, Kind.Search, Kind.Think];
