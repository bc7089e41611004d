import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import type { StaticDecode, TSchema } from "typebox";
import type { XStatic } from "typebox/schema";

/** A JSON Schema object. Haft reads draft 2020-12 and tolerates older drafts. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/**
 * The one form that every schema takes inside Haft: a Standard Schema that can validate and can say itself as JSON
 * Schema. AI SDK 7, OpenAI Agents, Mastra, TanStack and the MCP SDK accept this object as it is.
 */
export interface Schema<T = unknown> {
  readonly "~standard": StandardSchemaV1.Props<unknown, T> & StandardJSONSchemaV1.Props<unknown, T>;
  /** The input side as JSON Schema, converted once. A raw JSON Schema stays the very object that came in. */
  readonly json: JsonSchema;
  /** What of it values are held against: all of it, unless a stranger wrote it. Absent: all. */
  readonly checked?: JsonSchema;
}

/** A TypeBox 1.x schema: a JSON Schema whose TypeScript type knows what it describes. */
export interface TypeBoxSchema {
  readonly "~kind": string;
}

/**
 * What a tool author may write: a Zod 4 (or other Standard) schema, a TypeBox schema, a plain JSON Schema, or one of
 * ours. `toSchema` turns each into a `Schema`.
 */
export type SchemaLike = Schema | StandardSchemaV1 | TypeBoxSchema | JsonSchema;

/**
 * The parsed type of a schema: what `run` receives. A JSON Schema written as a literal (`as const`, or in place) is
 * read as a type too; one whose keywords are not known to the compiler is `unknown`.
 */
export type Infer<S> =
  S extends StandardSchemaV1<infer _Input, infer Output>
    ? Output
    : string extends keyof S
      ? unknown
      : S extends TypeBoxSchema
        ? StaticDecode<S & TSchema>
        : XStatic<S>;

/** One thing that is wrong with an input, at a path of keys from the root. */
export interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** A value that fits its schema, as the schema gives it; or why it does not. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[] };
