/** @module What the web tools need: a browser, pages as text, searches. */
export { createBrowser, type SessionBrowser } from "../browser/browser.ts";
export { findBrowser } from "../browser/find-browser.ts";
export { openLogins } from "../browser/profile.ts";
export { createDocuments } from "../page/documents.ts";
export { allowsByRobots } from "../page/robots.ts";
export { anthropicAddress } from "../search/native-providers.ts";
export { createSearch, type FoundSearch, findSearch } from "../search/search.ts";
