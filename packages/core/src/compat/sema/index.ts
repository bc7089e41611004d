/** @module Tools of the Sema shape: `call` is a generator that ends with `{type: "result", data}`. */
export * from "./functions.ts";
export * from "./permission.ts";
export * from "./tool.ts";
