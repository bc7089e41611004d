/** @module Tools whose definitions are left out until a search loads them, and the search itself. */

export {
  createToolIndex,
  type SearchAnswer,
  type SearchableTool,
  type SearchHit,
  type SearchOptions,
  type ToolIndex,
} from "../search/index.ts";
export type { PendingSources } from "./arrivals.ts";
export {
  createDeferral,
  DEFAULT_CONTEXT_TOKENS,
  type Deferral,
  type DeferralOptions,
  definitionTokens,
  type Split,
} from "./deferral.ts";
export { searchableEntry } from "./entry-index.ts";
