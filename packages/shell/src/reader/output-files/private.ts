import { isPrivatePath } from "@haft/core/policy";

/** One private file or folder of each sort, to test wildcards. */
const SAMPLES: readonly string[] = [
  ...[".env", ".env.local", ".env.production", ".netrc", "_netrc", ".git-credentials", ".pgpass", ".pypirc"],
  ...[".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"],
  ...["k.pem", "k.key", "k.p12", "k.pfx", "k.jks", "k.keystore", "k.kdbx", "k.ppk"],
];
const KEY_ENDS: readonly string[] = SAMPLES.filter((name) => name.startsWith("k.")).map((name) => name.slice(1));
/** Names that a pattern for private files does not match. */
const ORDINARY: readonly string[] = ["src/index.ts", "./a/b.py", "README.md", "package.json", "lib/x.test.js", "a"];

/**
 * The private file that a name pattern means without naming it: `.env*`, `conf/*.pem`. A pattern for nearly everything does not mean any.
 * In the shell a leading wildcard does not match a dot, in programs it does (`dots`).
 */
export function privateMeant(pattern: string, dots = true): string | undefined {
  const segments = pattern.split("/");
  for (const [index, segment] of segments.entries()) {
    const meant = WILD.test(segment) ? sampleOf(segment, dots) : isPrivatePath(segment) ? segment : undefined;
    if (meant !== undefined) return [...segments.slice(0, index), meant].join("/");
  }
  return undefined;
}

/** Whether a pattern selects a private file, however many others it selects. `{a,b}` are alternatives. */
export function picksPrivate(pattern: string): boolean {
  const [, before, inner, after] = /^(.*?)\{([^{}]*)\}(.*)$/s.exec(pattern) ?? [];
  if (inner !== undefined) return inner.split(",").some((one) => picksPrivate(`${before}${one}${after}`));
  const segments = pattern.split("/");
  const last = segments.at(-1)!;
  const isOpen = last === "" || last === "**" || /[{}]/.test(last);
  return isOpen || segments.some(isPrivatePath) || sampleIn(last, true) !== undefined;
}

const WILD = /[*?[]/;

const sampleOf = (segment: string, dots: boolean): string | undefined =>
  segment.replace(/\[[^\]]*\]?|[*?]/g, "").length < 2 ? undefined : sampleIn(segment, dots);

function sampleIn(segment: string, dots: boolean): string | undefined {
  const source = segment.replace(/\[[!^]?\]?(?:\[:\w+:\]|[^\]])*\]|[*?]|[^\w]/g, matcherOf);
  const candidates = [...SAMPLES, ...likely(segment)].filter(
    (name) => dots || name.startsWith(".") === segment.startsWith("."),
  );
  try {
    const matcher = new RegExp(`^${source}$`, "i");
    return candidates.find((name) => matcher.test(name));
  } catch {
    return candidates[0];
  }
}

/** Private names that a pattern may be meant for: `server*.pem`, `prod.k??`, `.env.st*`. */
function likely(segment: string): readonly string[] {
  const stem = /^[^*?[]*?(?=\.[^.]*$|[*?[]|$)/.exec(segment)![0];
  const keys = /\.\w[^.]*$/.test(segment) ? KEY_ENDS.map((end) => stem + end) : [];
  const filled = ["", "x"].map((text) => segment.replace(/\[[!^]?(.)[^\]]*\]/g, "$1").replace(/[*?]/g, text));
  return [...keys, ...filled].filter(isPrivatePath);
}

/** Converts a piece of a pattern to an expression. The content of a set only matters here if all of it is plain. */
function matcherOf(piece: string): string {
  if (piece === "*") return ".*";
  const [, not, plain] = /^\[([!^]?)([\w.-]+)\]$/.exec(piece) ?? [];
  if (plain !== undefined) return `[${not ? "^" : ""}${plain}]`;
  return piece === "?" || piece.length > 1 ? "." : `\\${piece}`;
}

/** Whether a regular expression that filters names is meant to keep private ones. */
export function keepsPrivate(expression: string): boolean {
  try {
    const matcher = new RegExp(expression, "i");
    const keeps = (name: string) => matcher.test(name) || matcher.test(`./${name}`);
    return SAMPLES.some(keeps) && !ORDINARY.some((name) => matcher.test(name));
  } catch {
    return false;
  }
}
