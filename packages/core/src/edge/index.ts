/** @module Haft without Node, for Cloudflare Workers and the like. */
export { createEdgeHaft, type EdgeFormats, type EdgeHaft, type EdgeOptions } from "./create-edge-haft.ts";
