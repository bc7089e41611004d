import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import type { StaticDecode, TSchema } from "typebox";
import type { XStatic } from "typebox/schema";

/** A JSON Schema object. Haft reads draft 2020-12 and tolerates older drafts. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/**
 * The one form of every schema inside Haft: a Standard Schema that can validate and can convert itself to JSON Schema.
 * AI SDK 7, OpenAI Agents, Mastra, TanStack and the MCP SDK accept this object unchanged.
 */
export interface Schema<T = unknown> {
  readonly "~standard": StandardSchemaV1.Props<unknown, T> & StandardJSONSchemaV1.Props<unknown, T>;
  /** The input side as JSON Schema, converted once. For a raw JSON Schema this is the original object. */
  readonly json: JsonSchema;
  /** The part that values are checked against: all of it, unless the author is untrusted. Absent: all. */
  readonly checked?: JsonSchema;
}

/** A TypeBox 1.x schema: a JSON Schema whose TypeScript type knows what it describes. */
export interface TypeBoxSchema {
  readonly "~kind": string;
}

/**
 * The schemas that a tool author may write: a Zod 4 (or other Standard) schema, a TypeBox schema, a plain JSON Schema,
 * or one in Haft's form. `toSchema` turns each into a `Schema`.
 */
export type SchemaLike = Schema | StandardSchemaV1 | TypeBoxSchema | JsonSchema;

/**
 * The parsed type of a schema, which `run` receives. A JSON Schema written as a literal (`as const`, or inline) is read
 * as a type too; one whose keywords the compiler does not know is `unknown`.
 */
export type Infer<S> =
  S extends StandardSchemaV1<infer _Input, infer Output>
    ? Output
    : string extends keyof S
      ? unknown
      : S extends TypeBoxSchema
        ? StaticDecode<S & TSchema>
        : XStatic<S>;

/** One error in an input, at a path of keys from the root. */
export interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** A valid value as the schema returns it, or the issues. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[] };
