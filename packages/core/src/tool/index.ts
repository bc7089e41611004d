/** @module The contract of a tool: effects, results, ports and the types around a call. */

export * from "./caller.ts";
export * from "./conflict.ts";
export * from "./content.ts";
export * from "./context.ts";
export * from "./define.ts";
export * from "./display.ts";
export * from "./effect.ts";
export * from "./error.ts";
export * from "./kind.ts";
export * from "./name.ts";
export * from "./path.ts";
export * from "./port/bound.ts";
export * from "./port/catalog.ts";
export * from "./port/held.ts";
export * from "./port/jobs.ts";
export * from "./port/ports.ts";
export * from "./port/seen.ts";
export * from "./result.ts";
export * from "./tool.ts";
export * from "./traits.ts";
