import { HaftError } from "./error.ts";

/** What every provider accepts as a tool name: Anthropic and OpenAI stop at 64 characters of this alphabet. */
export const NAME_PATTERN = /^[A-Za-z0-9_-]{1,64}$/;

/** Refuses a name that some provider would refuse. */
export function checkName(name: string): string {
  if (typeof name === "string" && NAME_PATTERN.test(name)) return name;
  throw new HaftError({
    code: "validation_failed",
    message: `"${String(name)}" cannot be a tool name.`,
    hint: "Use 1 to 64 letters, digits, _ or -.",
  });
}

/**
 * A name that fits every provider, made from any text. What is foreign becomes `_`; what is too long or was changed
 * gets a hash of the whole, so that two different names never become one.
 */
export function wireName(name: string): string {
  if (NAME_PATTERN.test(name)) return name;
  const clean = name.replace(/[^A-Za-z0-9_-]/g, "_");
  return `${clean.slice(0, 64 - 9)}_${fingerprint(name)}`;
}

/** FNV-1a, 32 bit. Not for security, only for telling apart. */
function fingerprint(value: string): string {
  let hash = 0x811c9dc5;
  for (const unit of value) {
    hash ^= unit.codePointAt(0) ?? 0;
    hash = Math.imul(hash, 0x01000193) >>> 0;
  }
  return hash.toString(16).padStart(8, "0");
}

/** Compares names as people write them: case, `-` and `_` do not matter. */
export const looseName = (name: string): string => name.trim().toLowerCase().replaceAll(/[-_]/g, "");

/** The candidate that is nearest to a misspelt name, if any is near enough to be meant. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = looseName(name);
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, looseName(candidate), bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Levenshtein distance, given up at `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return Math.min(row[b.length] ?? limit, limit);
}
