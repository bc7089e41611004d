import { Check, Compile, Errors, type Validator } from "typebox/schema";
import { SchemaError } from "../error.ts";
import type { Issue, JsonSchema } from "../standard.ts";
import { normalise } from "./normalise.ts";
import { compileTransform } from "./transform.ts";
import { withKeys } from "./walk.ts";

/** The outcome in the terms of Standard Schema. */
export type Outcome = { readonly value: unknown; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

/**
 * Number of times that a schema is interpreted before it is compiled: compiling pays after a few checks, and many
 * processes make only one.
 */
const WALKS = 2;

/**
 * Compiles a JSON Schema, including TypeBox's own, into a function that fills defaults, checks and decodes. The input
 * is never modified. `root: "object"` refuses all other values even if the schema forgot to.
 *
 * @throws SchemaError when the schema cannot be compiled.
 */
export function compileJson(json: JsonSchema, what: string, root: "object" | "any"): (input: unknown) => Outcome {
  const schema = root === "object" ? withKeys(normalise(json), { type: "object" }) : normalise(json);
  try {
    const check = checkOf(schema);
    const fill = compileTransform(schema, "defaults");
    const decode = compileTransform(schema, "codecs");
    return (input) => {
      try {
        const value = fill ? fill(input) : input;
        if (!check(value)) return { issues: issuesOf(Errors(schema, value)[1]) };
        return { value: decode ? decode(value) : value };
      } catch (thrown) {
        return { issues: [{ path: [], message: failureText(thrown) }] };
      }
    };
  } catch (cause) {
    throw new SchemaError(
      `The JSON Schema of ${what} cannot be compiled: ${failureText(cause)}.`,
      "Simplify the schema, above all its references and patterns.",
      { cause },
    );
  }
}

function checkOf(schema: JsonSchema): (value: unknown) => boolean {
  let walks = 0;
  let compiled: Validator | undefined;
  return (value) => {
    if (walks++ < WALKS) return Check(schema, value);
    compiled ??= Compile(schema);
    return compiled.Check(value);
  };
}

interface Failure {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

/** One issue for each field. Errors of the branches of a union are left out: the union itself reports that none fits. */
function issuesOf(failures: readonly Failure[]): Issue[] {
  const unions = failures.filter(({ keyword }) => keyword === "anyOf" || keyword === "oneOf");
  const insideUnion = ({ schemaPath }: Failure) =>
    unions.some((union) => schemaPath.startsWith(`${union.schemaPath}/${union.keyword}/`));
  const issues = failures.filter((failure) => !insideUnion(failure)).flatMap(issuesOfOne);
  const seen = new Set<string>();
  return issues.filter(({ path, message }) => {
    const key = JSON.stringify([path, message]);
    return !seen.has(key) && seen.add(key);
  });
}

function issuesOfOne({ keyword, instancePath, params, message }: Failure): Issue[] {
  const path = keysOf(instancePath);
  const named = (keys: unknown, text: string): Issue[] =>
    Array.isArray(keys) ? keys.map((key) => ({ path: [...path, String(key)], message: text })) : [];
  if (keyword === "required" && "requiredProperties" in params)
    return named(params.requiredProperties, "required, but missing");
  if (keyword === "additionalProperties" && "additionalProperties" in params)
    return named(params.additionalProperties, "unknown field");
  if (keyword === "unevaluatedProperties" && "unevaluatedProperties" in params)
    return named(params.unevaluatedProperties, "unknown field");
  // A duplicate of the same error: the schema `false` for an unknown field.
  if (keyword === "boolean") return [{ path, message: "unknown field" }];
  return [{ path, message }];
}

function keysOf(pointer: string): (string | number)[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((key) => (/^(0|[1-9]\d*)$/.test(key) ? Number(key) : key));
}

function failureText(thrown: unknown): string {
  if (thrown instanceof RangeError) return "nested too deeply";
  return thrown instanceof Error ? thrown.message : String(thrown);
}
