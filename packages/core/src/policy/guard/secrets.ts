/** Replaces each secret in a text with a description of it. */
export type Redact = (text: string) => string;

interface Shape {
  /** The description that replaces it. */
  readonly what: string;
  /** A text without any of these contains no such secret. */
  readonly hints: readonly string[];
  /** The last group, if any, is the secret; otherwise the whole match. */
  readonly pattern: RegExp;
}

const shape = (what: string, hints: string, pattern: RegExp): Shape => ({ what, hints: hints.split(" "), pattern });

/** Secrets with a known shape, as their issuers document them. */
const SHAPES: readonly Shape[] = [
  shape(
    "private key",
    "-----BEGIN",
    /-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----)){0,20000}(?:-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----)?/g,
  ),
  shape("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", /\bgh[pousr]_[A-Za-z0-9]{30,255}\b/g),
  shape("GitHub token", "github_pat_", /\bgithub_pat_[A-Za-z0-9_]{30,255}\b/g),
  shape("GitLab token", "glpat- gldt- glrt-", /\bgl(?:pat|dt|rt)-[A-Za-z0-9_-]{20,255}/g),
  shape("AWS key", "AKIA ASIA", /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g),
  shape("API key", "sk-", /\bsk-(?:ant-|proj-|svcacct-|or-)?[A-Za-z0-9_-]{20,255}/g),
  shape("Google key", "AIza", /\bAIza[A-Za-z0-9_-]{35}\b/g),
  shape("Google token", "ya29.", /\bya29\.[A-Za-z0-9_-]{20,2048}/g),
  shape("Slack token", "xoxa- xoxb- xoxp- xoxr- xoxs- xoxe- xapp-", /\b(?:xox[abprse]|xapp)-[A-Za-z0-9-]{10,255}/g),
  shape("Stripe key", "sk_ rk_ whsec_", /\b(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,255}\b/g),
  shape("npm token", "npm_", /\bnpm_[A-Za-z0-9]{36}\b/g),
  shape("PyPI token", "pypi-", /\bpypi-[A-Za-z0-9_-]{50,512}/g),
  shape("Hugging Face token", "hf_", /\bhf_[A-Za-z0-9]{30,64}\b/g),
  shape("SendGrid key", "SG.", /\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}\b/g),
  shape("token", "eyJ", /\beyJ[A-Za-z0-9_-]{10,4096}\.eyJ[A-Za-z0-9_-]{10,8192}\.[A-Za-z0-9_-]{10,4096}/g),
  shape("token", "earer", /\b[Bb]earer +([A-Za-z0-9._~+/-]{16,4096}=*)/g),
  shape("password", "uthorization", /\b[Aa]uthorization["']?: *["']?[Bb]asic +([A-Za-z0-9+/]{8,4096}=*)/g),
  shape("password", "://", /\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s/:@"'`]{0,256}:([^\s/@"'`]{3,256})@/g),
];

/**
 * Hardly any text contains a hint, so a single search suffices. Most hints end with a character that is rare in texts.
 * A search for that character, and then backwards, takes half the time of a search for all their first letters.
 */
const ANY_HINT = hintPattern([...new Set(SHAPES.flatMap(({ hints }) => hints))]);

function hintPattern(hints: readonly string[]): RegExp {
  const [signed, others] = [/[-_.]$/, /[^-_.]$/].map((end) => hints.filter((hint) => end.test(hint)));
  const either = (some: readonly string[] = []): string => some.map((hint) => hint.replaceAll(".", "\\.")).join("|");
  return new RegExp(`[-_.](?<=${either(signed)})|${either(others)}`);
}

/** Names of variables whose values nobody should read. */
const PRIVATE_NAME =
  /(?:^|_)(?:TOKENS?|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|CREDENTIALS?|COOKIE|AUTH|(?:API|ACCESS|PRIVATE|SECRET|SIGNING|ENCRYPTION|SERVICE|LICENSE|DEPLOY)_?KEY(?:_?ID)?|KEY|DSN|PAT)(?:_|$)/i;
/** These names mean places, programs or numbers, whatever surrounds them. */
const PLAIN_NAME =
  /^(?:PWD|OLDPWD|SSH_AUTH_SOCK|XAUTHORITY)$|_(?:FILE|PATH|DIR|SOCK|URL_BASE|COUNT|LIMIT|TTL|EXPIRY|NAME|USER)$/i;
/** Shorter values occur in ordinary text by chance. */
const SHORTEST = 8;

/**
 * Finds secrets in texts: by their shape, and the values of variables of `env` with a private name. Replaces them with
 * a description in brackets. This is a safety net for logs and texts, and no guarantee relies on it. It misses a secret
 * of another shape, or an encoded one.
 */
export function createRedactor(env: Readonly<Record<string, string | undefined>> = {}): Redact {
  const values = privateValues(env);
  return (text) => {
    let clean = text;
    for (const [value, name] of values)
      if (clean.includes(value)) clean = clean.replaceAll(value, `[redacted $${name}]`);
    if (!ANY_HINT.test(clean)) return clean;
    for (const { what, hints, pattern } of SHAPES) {
      if (!hints.some((hint) => clean.includes(hint))) continue;
      clean = clean.replace(pattern, (whole: string, group?: unknown) =>
        typeof group === "string" ? whole.replace(group, () => `[redacted ${what}]`) : `[redacted ${what}]`,
      );
    }
    return clean;
  };
}

/** The longest first: one may be part of another. */
function privateValues(env: Readonly<Record<string, string | undefined>>): readonly (readonly [string, string])[] {
  const found = new Map<string, string>();
  for (const [name, value = ""] of Object.entries(env)) {
    if (value.length < SHORTEST || !PRIVATE_NAME.test(name) || PLAIN_NAME.test(name)) continue;
    if (/^(?:\/|\d+$|true$|false$)/.test(value) || found.has(value)) continue;
    found.set(value, name);
  }
  return [...found].sort(([a], [b]) => b.length - a.length);
}
