import type { JsonSchema } from "../standard.ts";
import { isRecord, subschemas } from "./walk.ts";

/**
 * Resolves a `$ref` inside its own document: `#`, a JSON pointer, an `$anchor` or an `$id`. `undefined` if it does not
 * exist. Nothing is ever fetched.
 */
export function resolveRef(root: JsonSchema, ref: string): JsonSchema | boolean | undefined {
  const target = ref.startsWith("#/") ? atPointer(root, ref.slice(2)) : ref === "#" ? root : byName(root, ref);
  return isRecord(target) || typeof target === "boolean" ? target : undefined;
}

/** Follows a schema's own `$ref`s; `undefined` if they lead nowhere or in a circle. */
export function deref(root: JsonSchema, schema: unknown): JsonSchema | boolean | undefined {
  const seen = new Set<unknown>();
  let current: unknown = schema;
  while (isRecord(current) && typeof current.$ref === "string") {
    if (seen.has(current)) return undefined;
    seen.add(current);
    current = resolveRef(root, current.$ref);
  }
  return isRecord(current) || typeof current === "boolean" ? current : undefined;
}

function atPointer(root: JsonSchema, pointer: string): unknown {
  let current: unknown = root;
  for (const part of pointer.split("/")) {
    const key = unescapeKey(part);
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<string, unknown>)[key];
  }
  return current;
}

function unescapeKey(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return part;
  }
}

function byName(schema: JsonSchema, name: string): JsonSchema | undefined {
  const anchor = name.startsWith("#") ? name.slice(1) : undefined;
  if (schema.$id === name || (anchor !== undefined && (schema.$anchor === anchor || schema.$dynamicAnchor === anchor)))
    return schema;
  for (const [, child] of subschemas(schema)) {
    const found = isRecord(child) ? byName(child, name) : undefined;
    if (found) return found;
  }
  return undefined;
}
