import { HaftError } from "./error.ts";

/** The tool names that every provider accepts: Anthropic and OpenAI allow 64 characters of this alphabet. */
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
 * Makes a name that fits every provider from any text. Foreign characters become `_`. A changed or too long name gets a
 * hash of the whole, so that two different names never become one.
 */
export function wireName(name: string): string {
  if (NAME_PATTERN.test(name)) return name;
  const clean = name.replace(/[^A-Za-z0-9_-]/g, "_");
  return `${clean.slice(0, 64 - 9)}_${fingerprint(name)}`;
}

/** FNV-1a, 32 bit. Not for security, only for distinguishing names. */
function fingerprint(value: string): string {
  let hash = 0x811c9dc5;
  for (const unit of value) {
    hash ^= unit.codePointAt(0) ?? 0;
    hash = Math.imul(hash, 0x01000193) >>> 0;
  }
  return hash.toString(16).padStart(8, "0");
}
