import type { GeminiPartialArg } from "./wire.ts";

type Node = Record<string, unknown> | unknown[];

/** Puts a piece of an argument in its place; pieces of a text add up. */
export function applyPartial(args: Record<string, unknown>, partial: GeminiPartialArg): void {
  const keys = keysOf(partial.jsonPath ?? "");
  const last = keys.pop();
  if (last === undefined) return;
  let node: Node = args;
  keys.forEach((key, at) => {
    const next = valueAt(node, key);
    if (typeof next === "object" && next !== null) node = next as Node;
    else node = set(node, key, typeof (keys[at + 1] ?? last) === "number" ? [] : {}) as Node;
  });
  const before = valueAt(node, last);
  set(
    node,
    last,
    typeof before === "string" && partial.stringValue !== undefined ? before + partial.stringValue : contentOf(partial),
  );
}

const valueAt = (node: Node, key: string | number): unknown =>
  Object.hasOwn(node, key) ? (node as Record<string | number, unknown>)[key] : undefined;

function set(node: Node, key: string | number, value: unknown): unknown {
  Object.defineProperty(node, key, { value, writable: true, enumerable: true, configurable: true });
  return value;
}

function contentOf({ stringValue, numberValue, boolValue }: GeminiPartialArg): unknown {
  return stringValue ?? numberValue ?? boolValue ?? null;
}

/** The keys of `$.edits[0].text` or `$['a b']`. */
function keysOf(path: string): (string | number)[] {
  const keys = path.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\[['"]([^'"]*)['"]\]/g);
  return [...keys].map(([, name, index, quoted]) => (index === undefined ? (name ?? quoted ?? "") : Number(index)));
}
