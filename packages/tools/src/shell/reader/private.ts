import { isPrivatePath } from "@haft/core/policy";

/** One private file or folder of each sort, on which wildcards are tried. */
const SAMPLES: readonly string[] = [
  ...[".env", ".env.local", ".env.production", ".netrc", "_netrc", ".git-credentials", ".pgpass", ".pypirc"],
  ...[".ssh", ".gnupg", ".aws", ".azure", ".kube", "id_rsa", "id_ed25519", "k.pem", "k.key", "k.p12", "k.pfx"],
];
/** Names that a pattern for private files does not match. */
const ORDINARY: readonly string[] = ["src/index.ts", "./a/b.py", "README.md", "package.json", "lib/x.test.js", "a"];

/**
 * The private file that a pattern of names means although it does not name it: `.env*`, `conf/*.pem`. A pattern that means nearly
 * everything means none by itself. For the shell a wildcard at the beginning means no dot, for programs it does (`dots`).
 */
export function privateMeant(pattern: string, dots = true): string | undefined {
  const segments = pattern.split("/");
  for (const [index, segment] of segments.entries()) {
    const meant = WILD.test(segment) ? sampleOf(segment, dots) : isPrivatePath(segment) ? segment : undefined;
    if (meant !== undefined) return [...segments.slice(0, index), meant].join("/");
  }
  return undefined;
}

const WILD = /[*?[]/;

function sampleOf(segment: string, dots: boolean): string | undefined {
  if (segment.replace(/\[[^\]]*\]?|[*?]/g, "").length < 2) return undefined;
  const source = segment.replace(/\[!|[.+^${}()|\\]|[*?]/g, (part) => WILDCARDS[part] ?? `\\${part}`);
  const candidates = SAMPLES.filter((name) => dots || name.startsWith(".") === segment.startsWith("."));
  try {
    const matcher = new RegExp(`^${source}$`, "i");
    return candidates.find((name) => matcher.test(name));
  } catch {
    return candidates[0];
  }
}

const WILDCARDS: Readonly<Record<string, string>> = { "*": ".*", "?": ".", "[!": "[^" };

/** Whether a regular expression that filters names is meant to leave private ones over. */
export function keepsPrivate(expression: string): boolean {
  try {
    const matcher = new RegExp(expression, "i");
    const keeps = (name: string) => matcher.test(name) || matcher.test(`./${name}`);
    return SAMPLES.some(keeps) && !ORDINARY.some((name) => matcher.test(name));
  } catch {
    return false;
  }
}
