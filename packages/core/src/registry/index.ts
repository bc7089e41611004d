/** @module Which tools are known, where they come from, and which of them a request gets. */
export * from "./offer.ts";
export * from "./registry.ts";
export * from "./source.ts";
