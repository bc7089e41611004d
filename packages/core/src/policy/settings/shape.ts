import { nearest } from "../../schema/nearest.ts";

/** The subset of JSON Schema that the settings need. The same constant is published and used for checks. */
export interface Shape {
  readonly description?: string;
  readonly type?: "object" | "array" | "string" | "boolean" | "integer" | "number" | "null";
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: false | Shape;
  readonly required?: readonly string[];
  readonly items?: Shape;
  readonly minItems?: number;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Shape[];
  readonly minimum?: number;
  readonly minLength?: number;
}

/** One mismatch, with the keys that lead to it. */
export interface ShapeIssue {
  readonly path: readonly string[];
  readonly message: string;
  readonly cure: string;
}

/** Lists every mismatch between a value and a shape, including unknown keys. */
export function checkShape(value: unknown, shape: Shape, path: readonly string[] = []): ShapeIssue[] {
  if (shape.anyOf) return checkAnyOf(value, shape.anyOf, path);
  if (shape.type && typeOf(value) !== shape.type && !isNumberOf(shape.type, value))
    return [wrongType(value, [shape], path)];
  if (shape.enum && !shape.enum.includes(value as string)) return [wrongWord(value as string, shape.enum, path)];
  if (typeof value === "string" && value.trim().length < (shape.minLength ?? 0))
    return [{ path, message: `${named(path)} is empty.`, cure: "Write a value, or remove the key." }];
  if (typeof value === "number" && value < (shape.minimum ?? -Infinity))
    return [{ path, message: `${named(path)} is ${value}.`, cure: `Use ${shape.minimum} or more.` }];
  if (Array.isArray(value)) return checkArray(value, shape, path);
  return shape.type === "object" ? checkObject(value as Readonly<Record<string, unknown>>, shape, path) : [];
}

function checkAnyOf(value: unknown, shapes: readonly Shape[], path: readonly string[]): ShapeIssue[] {
  const sameType = shapes.filter((shape) => shape.type === typeOf(value));
  if (sameType.length === 0) return [wrongType(value, shapes, path)];
  const findings = sameType.map((shape) => checkShape(value, shape, path));
  return findings.find((issues) => issues.length === 0) ?? findings[0] ?? [];
}

function checkArray(value: readonly unknown[], shape: Shape, path: readonly string[]): ShapeIssue[] {
  if (value.length < (shape.minItems ?? 0))
    return [
      { path, message: `${named(path)} is an empty list.`, cure: "Write at least one entry, or remove the key." },
    ];
  const { items } = shape;
  return items ? value.flatMap((item, index) => checkShape(item, items, [...path, String(index)])) : [];
}

function checkObject(value: Readonly<Record<string, unknown>>, shape: Shape, path: readonly string[]): ShapeIssue[] {
  const properties = shape.properties ?? {};
  const missing = (shape.required ?? []).filter((key) => !Object.hasOwn(value, key));
  return [
    ...missing.map((key) => ({ path, message: `${named(path)} needs "${key}".`, cure: `Add "${key}".` })),
    ...Object.entries(value).flatMap(([key, item]) => {
      const child = Object.hasOwn(properties, key) ? properties[key] : shape.additionalProperties || undefined;
      if (child && key !== "__proto__") return checkShape(item, child, [...path, key]);
      return [unknownKey(key, Object.keys(properties), path)];
    }),
  ];
}

function unknownKey(key: string, known: readonly string[], path: readonly string[]): ShapeIssue {
  const near = nearest(key, known);
  const place = path.length === 0 ? "the settings" : `"${path.join(".")}"`;
  return {
    path: [...path, key],
    message: `Unknown key "${key}" in ${place}.`,
    cure: near ? `Did you mean "${near}"?` : `Known keys: ${known.filter((word) => word !== "$schema").join(", ")}.`,
  };
}

function wrongType(value: unknown, shapes: readonly Shape[], path: readonly string[]): ShapeIssue {
  const wanted = shapes.map(describe).join(" or ");
  return {
    path,
    message: `${named(path)} must be ${wanted}, not ${words[typeOf(value)] ?? typeOf(value)}.`,
    cure: `Write ${wanted}.`,
  };
}

function wrongWord(value: string, known: readonly string[], path: readonly string[]): ShapeIssue {
  const near = nearest(value, known);
  const list = known.map((word) => `"${word}"`).join(", ");
  return {
    path,
    message: `${named(path)} cannot be "${value}".`,
    cure: near ? `Did you mean "${near}"? Known: ${list}.` : `Use one of ${list}.`,
  };
}

const words: Readonly<Record<string, string>> = {
  object: "an object",
  array: "a list",
  string: "a text",
  boolean: "true or false",
  integer: "a whole number",
  number: "a number",
  null: "null",
  undefined: "nothing",
};

function describe(shape: Shape): string {
  if (shape.type === "array" && shape.items?.type === "string") return "a list of strings";
  if (shape.enum) return `one of ${shape.enum.map((word) => `"${word}"`).join(", ")}`;
  return words[shape.type ?? ""] ?? "a value";
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (Number.isInteger(value)) return "integer";
  return typeof value;
}

const named = (path: readonly string[]): string => (path.length === 0 ? "The settings" : `"${path.join(".")}"`);

const isNumberOf = (type: Shape["type"], value: unknown): boolean =>
  type === "integer"
    ? Number.isInteger(value)
    : type === "number" && typeof value === "number" && Number.isFinite(value);
