/** @module Schemas of every kind behind one Standard Schema object, and messages about inputs that do not fit. */
export * from "./error.ts";
export { nearest } from "./nearest.ts";
export { toParameters } from "./parameters.ts";
export * from "./parse.ts";
export { asPath, toPublicJson } from "./path.ts";
export { lazySchema, type SchemaOptions, toSchema } from "./schema.ts";
export type * from "./standard.ts";
