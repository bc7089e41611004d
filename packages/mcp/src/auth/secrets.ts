import { cappedText } from "../definition/plain-text.ts";

/** Characters of an untrusted reason that are shown. */
const REASON_CHARS = 400;

/** An untrusted reason, without the credentials that it may repeat. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const plain = secrets.filter((secret) => secret.length >= 4).reduce((rest, one) => rest.replaceAll(one, "…"), text);
  return cappedText(plain, REASON_CHARS);
}
