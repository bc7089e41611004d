import { deref } from "./json/ref.ts";
import { isRecord, listOf, mapOf } from "./json/walk.ts";
import { limitText } from "./limit.ts";
import { nearest } from "./nearest.ts";
import type { Issue, JsonSchema } from "./standard.ts";
import { expectedText, listed, oneOf, quote, receivedText } from "./words.ts";

/** An error in an input, in words for a model. `allowed`: the values that a constant or an enum would accept. */
export interface Complaint {
  readonly path: Issue["path"];
  readonly text: string;
  readonly about: "value" | "missing" | "unknown";
  readonly allowed?: readonly unknown[];
}

type Path = Issue["path"];

/** Deeper than any sensible input. A recursive schema ends with its input; this limit ends absurdly deep ones. */
const DEEPEST = 64;

/**
 * All visible differences between an input and a JSON Schema, from the root down. It describes, it does not validate:
 * it cannot find errors that a schema cannot express (a refinement, a custom check).
 */
export function complaintsOf(root: JsonSchema, input: unknown): Complaint[] {
  return complain(root, root, input, []);
}

function complain(root: JsonSchema, schema: unknown, value: unknown, path: Path): Complaint[] {
  if (schema === false) return [{ path, text: "not allowed here", about: "unknown" }];
  if (!isRecord(schema) || path.length > DEEPEST) return [];
  const target = typeof schema.$ref === "string" ? deref(root, schema) : undefined;
  const inPlace = [
    ...(target !== undefined && target !== schema ? complain(root, target, value, path) : []),
    ...listOf(schema, "allOf").flatMap((part) => (part === schema ? [] : complain(root, part, value, path))),
  ];
  return [...inPlace, ...own(root, schema, value, path)];
}

function own(root: JsonSchema, schema: JsonSchema, value: unknown, path: Path): Complaint[] {
  if (!hasType(schema.type, value)) return [mismatch(root, schema, value, path)];
  const allowed = schema.const !== undefined ? [schema.const] : schema.enum;
  if (Array.isArray(allowed) && !allowed.some((option) => sameJson(option, value)))
    return [outside(allowed, value, path)];
  const limit = limitText(schema, value);
  return [
    ...(limit === undefined ? [] : [{ path, text: limit, about: "value" } as const]),
    ...union(root, [...listOf(schema, "anyOf"), ...listOf(schema, "oneOf")], schema, value, path),
    ...(isRecord(value) ? fields(root, schema, value, path) : []),
    ...(Array.isArray(value) ? items(root, schema, value, path) : []),
  ];
}

function mismatch(root: JsonSchema, schema: JsonSchema, value: unknown, path: Path): Complaint {
  const expected = expectedText(root, schema);
  const encoded = typeof value === "string" && /^\s*[[{]/.test(value) && /^(object|array)/.test(expected);
  const text = `expected ${expected}, received ${receivedText(value)}`;
  return { path, text: encoded ? `${text}; send the ${expected} itself, not JSON text` : text, about: "value" };
}

function outside(allowed: readonly unknown[], value: unknown, path: Path): Complaint {
  const names = allowed.filter((option) => typeof option === "string");
  const meant = typeof value === "string" ? nearest(value, names) : undefined;
  const text = `expected ${oneOf(allowed)}, received ${receivedText(value)}`;
  const hint = meant === undefined || allowed.length === 1 ? "" : `; did you mean ${quote(meant)}?`;
  return { path, text: text + hint, about: "value", allowed };
}

/** The complaints for a union: none if a branch fits, else the errors in the branch that the input seems to mean. */
function union(
  root: JsonSchema,
  branches: readonly unknown[],
  schema: JsonSchema,
  value: unknown,
  path: Path,
): Complaint[] {
  const attempts = branches.map((branch) => complain(root, branch, value, path));
  if (attempts.length === 0 || attempts.some((complaints) => complaints.length === 0)) return [];
  const ofThisType = attempts.filter(
    (complaints) => !complaints.some((one) => one.path.length === path.length && one.about === "value"),
  );
  if (ofThisType.length === 0) {
    const allowed = attempts.map((complaints) => complaints.find((one) => one.path.length === path.length)?.allowed);
    return allowed.every((values) => values !== undefined)
      ? [outside(allowed.flat(), value, path)]
      : [mismatch(root, schema, value, path)];
  }
  const tagged = ofThisType.filter((complaints) => !complaints.some((one) => isTag(one, path)));
  if (tagged.length === 0) return byTag(ofThisType, value, path) ?? shortest(ofThisType);
  return shortest(tagged);
}

const isTag = (complaint: Complaint, path: Path): boolean =>
  complaint.allowed !== undefined && complaint.path.length === path.length + 1;

/** Every branch requires a different constant in the same field: the field accepts any of them. */
function byTag(attempts: readonly Complaint[][], value: unknown, path: Path): Complaint[] | undefined {
  const tags = attempts.map((complaints) => complaints.find((one) => isTag(one, path)));
  const key = tags[0]?.path.at(-1);
  if (key === undefined || !isRecord(value) || tags.some((tag) => tag?.path.at(-1) !== key)) return undefined;
  return [
    outside(
      tags.flatMap((tag) => tag?.allowed ?? []),
      value[key],
      [...path, key],
    ),
  ];
}

const shortest = (attempts: readonly Complaint[][]): Complaint[] =>
  attempts.reduce((best, complaints) => (complaints.length < best.length ? complaints : best));

function fields(root: JsonSchema, schema: JsonSchema, value: Record<string, unknown>, path: Path): Complaint[] {
  const properties = mapOf(schema, "properties");
  const patterns = Object.entries(mapOf(schema, "patternProperties"));
  const names = Object.keys(properties);
  const isThere = (name: string) => Object.hasOwn(value, name) && value[name] !== undefined;
  const missing = listOf(schema, "required").filter(
    (name): name is string => typeof name === "string" && !isThere(name),
  );
  const found: Complaint[] = missing.map((name) => ({
    path: [...path, name],
    text: "required, but missing",
    about: "missing",
  }));
  for (const [key, held] of Object.entries(value)) {
    if (held === undefined) continue;
    const matching = patterns.filter(([pattern]) => new RegExp(pattern, "u").test(key)).map(([, child]) => child);
    if (Object.hasOwn(properties, key)) matching.push(properties[key]);
    for (const child of matching) found.push(...complain(root, child, held, [...path, key]));
    if (matching.length > 0) continue;
    const strict = schema.additionalProperties === false || schema.unevaluatedProperties === false;
    const meant = nearest(key, strict ? names : missing);
    if (strict || meant !== undefined) found.push(unknownField([...path, key], names, meant));
    else if (isRecord(schema.additionalProperties))
      found.push(...complain(root, schema.additionalProperties, held, [...path, key]));
  }
  return found;
}

function unknownField(path: Path, names: readonly string[], meant: string | undefined): Complaint {
  if (meant !== undefined) return { path, text: `unknown field; did you mean ${meant}?`, about: "unknown" };
  const known = names.length === 0 ? "there are no fields here" : `the fields are ${listed(names)}`;
  return { path, text: `unknown field; ${known}`, about: "unknown" };
}

function items(root: JsonSchema, schema: JsonSchema, value: readonly unknown[], path: Path): Complaint[] {
  const head = [...listOf(schema, "prefixItems"), ...listOf(schema, "items")];
  const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
  return value.flatMap((item, index) =>
    complain(root, index < head.length ? head[index] : rest, item, [...path, index]),
  );
}

function hasType(type: unknown, value: unknown): boolean {
  if (type === undefined) return true;
  if (Array.isArray(type)) return type.some((name) => hasType(name, value));
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isRecord(value);
  if (type === "integer") return Number.isInteger(value);
  if (type === "number") return Number.isFinite(value);
  return typeof value === type;
}

const sameJson = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);
