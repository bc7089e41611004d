/** Serializes equal values to equal text, whatever the order of their keys. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, sortKeys) ?? "undefined";
}

function sortKeys(_key: string, item: unknown): unknown {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return item;
  return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
}
