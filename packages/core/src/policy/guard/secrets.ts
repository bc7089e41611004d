/** Puts what it is in the place of each secret in a text. */
export type Redact = (text: string) => string;

interface Shape {
  /** What it is, for the words that stand in its place. */
  readonly what: string;
  /** A text without any of these holds none. */
  readonly hints: readonly string[];
  /** The last group, where there is one, is the secret; else all of it. */
  readonly pattern: RegExp;
}

const shape = (what: string, hints: string, pattern: RegExp): Shape => ({ what, hints: hints.split(" "), pattern });

/** Secrets that are known by their looks, as their issuers document them. */
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
 * Hardly any text holds one of the hints: a single look tells. Most end with a sign that is rare in texts; a look for that
 * sign, and then backwards, takes half the time of one for all their first letters.
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
/** These name places, programs or numbers, whatever stands around. */
const PLAIN_NAME =
  /^(?:PWD|OLDPWD|SSH_AUTH_SOCK|XAUTHORITY)$|_(?:FILE|PATH|DIR|SOCK|URL_BASE|COUNT|LIMIT|TTL|EXPIRY|NAME|USER)$/i;
/** Shorter values stand in ordinary text by chance. */
const SHORTEST = 8;

/**
 * Finds secrets in texts: by their shape, and the values of variables of `env` with a private name. What is found is
 * replaced by words in brackets. It is a net for what is written down, no rule that anything rests on: a secret of another
 * shape, or one that was encoded, stays.
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
