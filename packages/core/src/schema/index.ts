/** @module Schemas of every make behind one Standard Schema object, and sentences about what does not fit. */
export * from "./error.ts";
export * from "./explain.ts";
export * from "./nearest.ts";
export { toParameters, undescribed } from "./parameters.ts";
export * from "./parse.ts";
export { asPath, PATH_FORMAT, pathFields } from "./path.ts";
export { isSchema, lazySchema, type SchemaOptions, toSchema, withJsonSchema } from "./schema.ts";
export * from "./standard.ts";
