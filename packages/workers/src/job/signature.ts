import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from "node:crypto";
import { openSync, readFileSync, statSync, writeSync } from "node:fs";
import { fail } from "@haft/core/tool";

/** The kinds of signed texts. One kind does not pass for another. */
export type SignedKind = "job" | "reply" | "order" | "policy" | "worker";

const MIN_KEY_BYTES = 32;
/** Length of a signature: 32 bytes in base64url. */
const MAC_CHARS = 43;

/** Signs a value: the signature, then its JSON. */
export function sign(key: KeyObject, kind: SignedKind, value: unknown): string {
  const body = JSON.stringify(value);
  return macOf(key, kind, body) + body;
}

/** Checks the signature and returns the value; `undefined` if somebody without the key wrote or changed it. */
export function verify<T>(key: KeyObject, kind: SignedKind, signed: unknown): T | undefined {
  if (typeof signed !== "string" || signed.length <= MAC_CHARS) return undefined;
  const body = signed.slice(MAC_CHARS);
  const expected = Buffer.from(macOf(key, kind, body));
  const given = Buffer.from(signed.slice(0, MAC_CHARS));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  return JSON.parse(body) as T;
}

const macOf = (key: KeyObject, kind: SignedKind, body: string): string =>
  createHmac("sha256", key).update(`haft ${kind}\n`).update(body).digest("base64url");

/** Tells keys apart, and nothing about the key itself. */
export const markOf = (key: KeyObject): string => macOf(key, "worker", "").slice(0, 16);

/**
 * The key that signs jobs and answers: from the file, else from `HAFT_QUEUE_KEY`.
 *
 * @throws HaftError if there is no usable key.
 */
export function readKey(file: string | undefined, env: Readonly<Record<string, string | undefined>>): KeyObject {
  const text = file === undefined ? env.HAFT_QUEUE_KEY : textOf(file);
  if (text === undefined || text.trim() === "")
    return fail(
      "validation_failed",
      "The queue has no key, but hosts and workers must sign their messages.",
      "Make one with `haft workers key FILE`, and name it with --key-file on every machine (or set HAFT_QUEUE_KEY).",
    );
  const key = Buffer.from(text.trim());
  if (key.length < MIN_KEY_BYTES)
    fail(
      "validation_failed",
      `The queue's key has ${key.length} bytes; it needs ${MIN_KEY_BYTES}.`,
      "Make one with `haft workers key FILE`.",
    );
  // Node prepares it once, which makes a signature five times as fast.
  return createSecretKey(key);
}

function textOf(file: string): string {
  let mode: number;
  let text: string;
  try {
    mode = statSync(file).mode;
    text = readFileSync(file, "utf8");
  } catch (thrown) {
    return fail(
      "validation_failed",
      `The key file cannot be read: ${(thrown as Error).message}.`,
      "Make one with `haft workers key FILE`, and copy it to every machine.",
    );
  }
  if (process.platform !== "win32" && (mode & 0o077) !== 0)
    fail("validation_failed", `Other users can read the key file ${file}.`, `Run: chmod 600 ${file}`);
  return text;
}

/** Writes a new random key to a file that only this user can read. @throws HaftError if the file exists. */
export function writeKey(file: string): void {
  try {
    const handle = openSync(file, "wx", 0o600);
    writeSync(handle, `${randomBytes(32).toString("hex")}\n`);
  } catch (thrown) {
    fail("file_exists", `The key was not written: ${(thrown as Error).message}.`, "Name a file that does not exist.");
  }
}
