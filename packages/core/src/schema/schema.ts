import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { SchemaError } from "./error.ts";
import { audit, describesObject } from "./json/audit.ts";
import { checkedPart } from "./json/checked-part.ts";
import { compileJson, type Outcome } from "./json/validator.ts";
import { isRecord } from "./json/walk.ts";
import { withoutNoise } from "./parameters.ts";
import { toPublicJson } from "./path.ts";
import type { Infer, JsonSchema, Schema, SchemaLike } from "./standard.ts";
import { isZod3, zod3Json } from "./zod3.ts";

/** The purpose of a schema, and its author. */
export interface SchemaOptions {
  /** `object` (the default) refuses a schema that also accepts other values: tool inputs are objects. `any` is for outputs. */
  readonly root?: "object" | "any";
  /**
   * This JSON Schema comes from an untrusted author: it is shown whole, but values are checked only against the part
   * that cannot run forever. Its author checks patterns, formats and a few more.
   */
  readonly isForeign?: boolean;
}

/**
 * Converts any schema to the one form that Haft uses. A schema in that form is returned unchanged. A raw JSON Schema or
 * a TypeBox schema is validated now and compiled at its first use; `json` holds the original object. A Standard Schema
 * keeps its own validator and is converted to JSON Schema on first demand.
 *
 * @param what the owner of the schema, for errors: "tool Read".
 * @throws SchemaError when the schema cannot be used.
 */
export function toSchema<T = unknown>(source: SchemaLike, what: string, options: SchemaOptions = {}): Schema<T> {
  if (isSchema(source)) return source as Schema<T>;
  const { root = "object", isForeign = false } = options;
  if (isStandard(source)) return fromStandard<T>(source, what, root);
  if (!isRecord(source) || source instanceof Promise)
    throw new SchemaError(
      `${what} has no usable schema (${source === null ? "null" : typeof source}).`,
      'Give a Zod, TypeBox or other Standard Schema, or a JSON Schema such as {"type": "object", "properties": {}}.',
    );
  return fromJson<T>(source, what, root, isForeign);
}

/** Whether this is a schema in Haft's own form. Never evaluates a lazy one. */
export function isSchema(candidate: unknown): candidate is Schema {
  return isStandard(candidate) && candidate["~standard"].vendor === "haft" && "json" in candidate;
}

/**
 * A schema that is created once, at its first use: for modules that import each other, and for schemas that cost time
 * or depend on later information. A throw is not cached; the next use tries again.
 */
export function lazySchema<const S extends SchemaLike>(
  make: () => S,
  what = "a lazy schema",
  options?: SchemaOptions,
): Schema<Infer<S>> {
  let made: Schema<Infer<S>> | undefined;
  const schema = () => {
    made ??= toSchema<Infer<S>>(make(), what, options);
    return made;
  };
  return assemble<Infer<S>>(
    () => schema().json,
    (value) => schema()["~standard"].validate(value),
    {
      input: (target) => schema()["~standard"].jsonSchema.input(target),
      output: (target) => schema()["~standard"].jsonSchema.output(target),
    },
  );
}

/** A Standard Schema that cannot convert itself to JSON Schema, together with one written by hand. */
export function withJsonSchema<S extends StandardSchemaV1>(
  source: S,
  json: JsonSchema,
  what = "a schema",
  { root = "object" }: SchemaOptions = {},
): Schema<StandardSchemaV1.InferOutput<S>> {
  audit(json, what);
  checkRoot(json, what, root);
  return assemble<StandardSchemaV1.InferOutput<S>>(
    () => json,
    (value) => source["~standard"].validate(value) as Validated<StandardSchemaV1.InferOutput<S>>,
    { input: () => ({ ...json }), output: () => ({ ...json }) },
  );
}

type Validated<T> = ReturnType<Schema<T>["~standard"]["validate"]>;

function fromJson<T>(json: JsonSchema, what: string, root: "object" | "any", isForeign: boolean): Schema<T> {
  audit(json, what);
  checkRoot(json, what, root);
  let part: JsonSchema | undefined;
  const checked = isForeign ? () => (part ??= checkedPart(json)) : undefined;
  let run: ((input: unknown) => Outcome) | undefined;
  const validate = (input: unknown) => {
    run ??= compileJson(checked?.() ?? json, what, root);
    return run(input) as Validated<T>;
  };
  const convert = ({ target }: StandardJSONSchemaV1.Options): Record<string, unknown> => {
    if (target.startsWith("draft-")) return { ...json };
    throw new SchemaError(`${what} is not available as ${target}.`, "Ask for draft-2020-12 or draft-07.");
  };
  return assemble<T>(() => json, validate, { input: convert, output: convert }, checked);
}

function fromStandard<T>(source: StandardSchemaV1, what: string, root: "object" | "any"): Schema<T> {
  const theirs = source["~standard"];
  const converter = converterOf(source, what);
  const convert =
    (side: "input" | "output") =>
    (options: StandardJSONSchemaV1.Options): Record<string, unknown> => {
      try {
        return { ...withoutNoise(converter[side](options)) };
      } catch (cause) {
        throw new SchemaError(
          `The schema of ${what} cannot be expressed as JSON Schema: ${cause instanceof Error ? cause.message : cause}.`,
          "Use types that JSON has (a date is a string), or transform from such a type.",
          { cause },
        );
      }
    };
  const input = convert("input");
  let json: JsonSchema | undefined;
  const toJson = () => {
    if (json) return json;
    const converted = input({ target: "draft-2020-12" });
    checkRoot(converted, what, root);
    json = converted;
    return json;
  };
  return assemble<T>(toJson, (value) => theirs.validate(value) as Validated<T>, { input, output: convert("output") });
}

function converterOf(source: StandardSchemaV1, what: string): StandardJSONSchemaV1.Converter {
  const own = (source["~standard"] as Partial<StandardJSONSchemaV1.Props>).jsonSchema;
  if (own && typeof own.input === "function" && typeof own.output === "function") return own;
  if (isZod3(source)) {
    const convert = () => zod3Json(source, what);
    return { input: convert, output: convert };
  }
  const { vendor } = source["~standard"];
  throw new SchemaError(
    `The ${vendor} schema of ${what} does not support JSON Schema (it has no ~standard.jsonSchema).`,
    `${vendor === "zod" ? "Import from zod 4.2 or newer (not zod/mini)" : "Use its JSON Schema companion"}, or pair it with one by hand: withJsonSchema(schema, {"type": "object", ...}).`,
  );
}

function checkRoot(json: JsonSchema, what: string, root: "object" | "any"): void {
  if (root === "any" || describesObject(json)) return;
  throw new SchemaError(
    `The schema of ${what} accepts values that are not objects, but a tool's input must be an object.`,
    'Wrap it: {"type": "object", "properties": {"value": ...}, "required": ["value"]}.',
  );
}

function isStandard(candidate: unknown): candidate is StandardSchemaV1 {
  // ArkType's schemas are functions.
  if ((typeof candidate !== "object" && typeof candidate !== "function") || candidate === null) return false;
  const props = (candidate as Partial<StandardSchemaV1>)["~standard"];
  return isRecord(props) && typeof props.validate === "function";
}

function assemble<T>(
  json: () => JsonSchema,
  validate: (value: unknown) => Validated<T>,
  convert: StandardJSONSchemaV1.Converter,
  checked: () => JsonSchema = json,
): Schema<T> {
  const jsonSchema: StandardJSONSchemaV1.Converter = {
    input: (options) => toPublicJson(convert.input(options)),
    output: (options) => toPublicJson(convert.output(options)),
  };
  return {
    // Not "zod" even for Zod's: hosts take that name as permission to use the schema's internals.
    "~standard": { version: 1, vendor: "haft", validate, jsonSchema },
    get json() {
      return json();
    },
    get checked() {
      return checked();
    },
  };
}
