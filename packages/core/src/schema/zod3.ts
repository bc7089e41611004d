import type { StandardSchemaV1 } from "@standard-schema/spec";
import { SchemaError } from "./error.ts";
import { isRecord } from "./json/walk.ts";
import type { JsonSchema } from "./standard.ts";

/** The fields of every Zod 3 schema. Read structurally: Haft does not depend on Zod. */
interface Zod3 {
  readonly _def: Readonly<Record<string, unknown>> & { readonly typeName: string; readonly description?: string };
}

type Definition = Zod3["_def"];

/** Zod 3 validates in the standard way but cannot convert itself to JSON Schema. */
export function isZod3(source: StandardSchemaV1): source is StandardSchemaV1 & Zod3 {
  const definition = (source as Partial<Zod3>)._def;
  return source["~standard"].vendor === "zod" && typeof definition?.typeName === "string";
}

/**
 * The input side of a Zod 3 schema as JSON Schema. Refinements and transforms stay with Zod's own validator.
 *
 * @throws SchemaError for a type that JSON does not have.
 */
export function zod3Json(source: Zod3, what: string): JsonSchema {
  const lazy = new Map<unknown, string>();
  const $defs: Record<string, JsonSchema> = {};

  function convert(schema: unknown): JsonSchema {
    const { _def: definition } = schema as Zod3;
    const json = convertType(definition);
    return definition.description && json.description === undefined
      ? { ...json, description: definition.description }
      : json;
  }

  function convertType(definition: Definition): JsonSchema {
    const simple = SIMPLE[definition.typeName];
    if (simple) return simple(definition);
    const wrapped = definition[WRAPPERS[definition.typeName] ?? ""];
    if (wrapped) return convert(wrapped);
    switch (definition.typeName) {
      case "ZodObject":
        return objectOf(definition);
      case "ZodArray":
        return { type: "array", items: convert(definition.type), ...bounds(definition, "minLength", "maxLength") };
      case "ZodTuple":
        return { type: "array", prefixItems: (definition.items as unknown[]).map(convert) };
      case "ZodRecord":
        return { type: "object", additionalProperties: convert(definition.valueType) };
      case "ZodUnion":
      case "ZodDiscriminatedUnion":
        return { anyOf: [...(definition.options as Iterable<unknown>)].map(convert) };
      case "ZodIntersection":
        return { allOf: [convert(definition.left), convert(definition.right)] };
      case "ZodNullable":
        return { anyOf: [convert(definition.innerType), { type: "null" }] };
      case "ZodDefault":
        return { ...convert(definition.innerType), default: (definition.defaultValue as () => unknown)() };
      case "ZodLazy":
        return lazyOf(definition);
    }
    throw new SchemaError(
      `The schema of ${what} uses ${definition.typeName}, which cannot be expressed as JSON Schema.`,
      "Use a type that JSON has, move to Zod 4, or pair it with a JSON Schema: withJsonSchema(schema, json).",
    );
  }

  function objectOf(definition: Definition): JsonSchema {
    const shape = Object.entries((definition.shape as () => Record<string, Zod3>)());
    const required = shape.filter(([, field]) => !mayBeMissing(field)).map(([name]) => name);
    return {
      type: "object",
      properties: Object.fromEntries(shape.map(([name, field]) => [name, convert(field)])),
      ...(required.length > 0 ? { required } : {}),
      ...(definition.unknownKeys === "strict" ? { additionalProperties: false } : {}),
    };
  }

  function lazyOf(definition: Definition): JsonSchema {
    const inner = (definition.getter as () => unknown)();
    let name = lazy.get(inner);
    if (name === undefined) {
      name = `lazy${lazy.size + 1}`;
      lazy.set(inner, name);
      $defs[name] = convert(inner);
    }
    return { $ref: `#/$defs/${name}` };
  }

  const json = convert(source);
  return lazy.size === 0 ? json : { ...json, $defs };
}

/** The key under which a wrapper keeps the schema that its input must fit. */
const WRAPPERS: Readonly<Record<string, string>> = {
  ZodOptional: "innerType",
  ZodReadonly: "innerType",
  ZodCatch: "innerType",
  ZodEffects: "schema",
  ZodPipeline: "in",
  ZodBranded: "type",
};

const SIMPLE: Readonly<Record<string, (definition: Definition) => JsonSchema>> = {
  ZodString: (definition) => Object.assign({ type: "string" }, ...checksOf(definition).map(stringCheck)),
  ZodNumber: (definition) => Object.assign({ type: "number" }, ...checksOf(definition).map(numberCheck)),
  ZodBoolean: () => ({ type: "boolean" }),
  ZodNull: () => ({ type: "null" }),
  ZodAny: () => ({}),
  ZodUnknown: () => ({}),
  ZodLiteral: (definition) => ({ const: definition.value }),
  ZodEnum: (definition) => ({ type: "string", enum: definition.values }),
  ZodNativeEnum: (definition) => ({ enum: enumValues(definition.values as Record<string, unknown>) }),
};

interface Check {
  readonly kind: string;
  readonly value?: unknown;
  readonly inclusive?: boolean;
  readonly regex?: RegExp;
}

const checksOf = (definition: Definition): readonly Check[] => (definition.checks ?? []) as readonly Check[];

const STRING_FORMATS: Readonly<Record<string, string>> = {
  email: "email",
  url: "uri",
  uuid: "uuid",
  datetime: "date-time",
  date: "date",
};

function stringCheck({ kind, value, regex }: Check): JsonSchema {
  if (kind === "min") return { minLength: value };
  if (kind === "max") return { maxLength: value };
  if (kind === "length") return { minLength: value, maxLength: value };
  if (kind === "regex" && regex) return { pattern: regex.source };
  return STRING_FORMATS[kind] ? { format: STRING_FORMATS[kind] } : {};
}

function numberCheck({ kind, value, inclusive }: Check): JsonSchema {
  if (kind === "int") return { type: "integer" };
  if (kind === "min") return inclusive ? { minimum: value } : { exclusiveMinimum: value };
  if (kind === "max") return inclusive ? { maximum: value } : { exclusiveMaximum: value };
  return kind === "multipleOf" ? { multipleOf: value } : {};
}

function bounds(definition: Definition, min: string, max: string): JsonSchema {
  const exact = boundOf(definition.exactLength);
  const least = exact ?? boundOf(definition[min]);
  const most = exact ?? boundOf(definition[max]);
  return { ...(least === undefined ? {} : { minItems: least }), ...(most === undefined ? {} : { maxItems: most }) };
}

const boundOf = (check: unknown): unknown => (isRecord(check) ? check.value : undefined);

/** A numeric TypeScript enum also maps its numbers back to names. */
const enumValues = (values: Record<string, unknown>): unknown[] =>
  Object.entries(values)
    .filter(([name]) => !(/^\d+$/.test(name) && typeof values[name] === "string"))
    .map(([, value]) => value);

function mayBeMissing(schema: Zod3): boolean {
  const { typeName } = schema._def;
  if (["ZodOptional", "ZodDefault", "ZodCatch", "ZodAny", "ZodUnknown"].includes(typeName)) return true;
  const inner =
    schema._def[WRAPPERS[typeName] ?? ""] ?? (typeName === "ZodNullable" ? schema._def.innerType : undefined);
  return inner !== undefined && mayBeMissing(inner as Zod3);
}
