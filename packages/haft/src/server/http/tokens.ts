import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { fail } from "@haft/core/tool";

/** The clients that may use a server over HTTP. */
export interface Tokens {
  /** The client whose token is in an `Authorization` header; `undefined`: none. Takes the same time for all. */
  clientOf(authorization: string | undefined): string | undefined;
}

/** Creates a token that cannot be guessed. */
export const newToken = (): string => randomBytes(32).toString("base64url");

export function createTokens(byClient: ReadonlyMap<string, string>): Tokens {
  const digests = [...byClient].map(([client, token]) => ({ client, digest: digestOf(token) }));
  return {
    clientOf(authorization = "") {
      const given = digestOf(/^Bearer +([^\s]+) *$/i.exec(authorization)?.[1] ?? "");
      // Compare all, so that the time reveals neither which token matched nor whether one did.
      return digests.reduce<string | undefined>(
        (found, { client, digest }) => (timingSafeEqual(digest, given) ? client : found),
        undefined,
      );
    },
  };
}

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Minimum characters: short tokens can be brute-forced. */
const MIN_CHARS = 16;

/**
 * Reads the tokens of a file, by client: `NAME TOKEN` on each line, or a token alone, whose client is called `default`.
 * Skips empty lines and lines with #.
 *
 * @throws HaftError `validation_failed` for a line that is neither, for a short token, and for a duplicate name or
 * token.
 */
export function readTokens(text: string): Map<string, string> {
  const tokens = new Map<string, string>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const words = line.trim().split(/\s+/);
    if (words[0] === "" || words[0]!.startsWith("#")) continue;
    const [name, token] = words.length === 1 ? ["default", words[0]!] : [words[0]!, words[1]!];
    const wrong = problemOf(words, name, token, tokens);
    if (wrong)
      fail("validation_failed", `Line ${index + 1} of the token file ${wrong}.`, "Write NAME TOKEN on each line.");
    tokens.set(name, token);
  }
  if (tokens.size === 0) fail("validation_failed", "The token file holds no token.", "Write NAME TOKEN on each line.");
  return tokens;
}

function problemOf(words: readonly string[], name: string, token: string, known: ReadonlyMap<string, string>) {
  if (words.length > 2) return "has more than a name and a token";
  if (token.length < MIN_CHARS) return `has a token of fewer than ${MIN_CHARS} characters`;
  if (known.has(name)) return `gives "${name}" a second token`;
  return [...known.values()].includes(token) ? "gives a token to a second client" : undefined;
}
