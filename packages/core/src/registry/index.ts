/** @module Which tools are known, where they come from, and which of them a request gets. */
export * from "./arrivals.ts";
export * from "./catalog.ts";
export * from "./deferral.ts";
export { searchableEntry } from "./entry-index.ts";
export * from "./offer.ts";
export * from "./registry.ts";
export * from "./search/index.ts";
export * from "./source.ts";
