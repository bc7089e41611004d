/** @module Pure mappings between Haft and what models and SDKs speak. */
export * from "./toolbox.ts";
