/** @module The known tools, their sources, and the selection for each request. */
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
export { type Availability, createOffers, type Offer, type Offered, type OfferOptions, type Offers } from "./offer.ts";
export { policyToolOf } from "./policy-tool.ts";
export { createRegistry, type Diagnostic, type Entry, type Registration, type Registry } from "./registry.ts";
export {
  createToolIndex,
  type SearchAnswer,
  type SearchableTool,
  type SearchHit,
  type SearchOptions,
  type ToolIndex,
} from "./search/index.ts";
export type { Source, ToolOrigin } from "./source.ts";
