/** @module The known tools, their sources, and the selection for each request. */
export type { Deferral } from "./deferral/deferral.ts";
export { type Availability, createOffers, type Offer, type Offered, type OfferOptions, type Offers } from "./offer.ts";
export { policyToolOf } from "./policy-tool.ts";
export { createRegistry, type Diagnostic, type Entry, type Registration, type Registry } from "./registry.ts";
export type { Source, ToolOrigin } from "./source.ts";
