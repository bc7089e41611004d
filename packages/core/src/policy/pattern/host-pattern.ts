import { compileGlob, type Glob } from "./glob.ts";

/** A host pattern, compared label by label, so that `example.*` never means `example.evil.com`. */
export interface HostPattern {
  readonly source: string;
  /** The whole host if there is no wildcard. */
  readonly literal?: string;
  /** The text after `*.` if nothing else is wild: every host below this domain matches. */
  readonly domain?: string;
  matches(host: string, port?: number): boolean;
}

/**
 * Compiles a host pattern. `*` is every host. `*.example.com` is any host below but not `example.com` itself. `*`
 * elsewhere stays within one label. A `:port` at the end limits the port. Case and a dot at the end do not matter.
 */
export function compileHost(source: string): HostPattern | { readonly problem: string } {
  const misuse = /[/?#@\s\\]/.exec(source);
  if (misuse) return { problem: `"${source}" is not a host: it contains "${misuse[0]}"` };
  const { name, port } = splitPort(source.trim());
  const host = normalizeHost(name);
  if (host === "") return { problem: "there is no host" };
  const matchesPort = (actual: number | undefined) => port === undefined || port === actual;
  if (host === "*") return { source, matches: (_, actual) => matchesPort(actual) };
  if (!host.includes("*"))
    return { source, literal: host, matches: (text, actual) => normalizeHost(text) === host && matchesPort(actual) };

  const isBelow = host.startsWith("*.");
  const domain = isBelow ? host.slice(2) : host;
  const labels = domain.split(".").map(compileGlob);
  return {
    source,
    ...(isBelow && !domain.includes("*") ? { domain } : {}),
    matches: (text, actual) => matchesLabels(labels, normalizeHost(text).split("."), isBelow) && matchesPort(actual),
  };
}

/** The form in which hosts are compared: lower case, ASCII, no dot at the end, no brackets. */
export function normalizeHost(host: string): string {
  const plain = host
    .toLowerCase()
    .replace(/\.$/, "")
    .replace(/^\[(.*)\]$/, "$1");
  return /^[\x20-\x7e]*$/.test(plain) ? plain : asciiHost(plain);
}

function matchesLabels(pattern: readonly Glob[], labels: readonly string[], isBelow: boolean): boolean {
  const extra = labels.length - pattern.length;
  if (isBelow ? extra < 1 : extra !== 0) return false;
  return pattern.every((glob, index) => glob.matches(labels[index + extra] ?? ""));
}

function splitPort(source: string): { name: string; port?: number } {
  // More than one colon is an IPv6 address, whose port comes after brackets.
  const match = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(source);
  return match?.[1] === undefined ? { name: source } : { name: match[1], port: Number(match[2]) };
}

/** `bücher.example` as every resolver writes it. Text that is not a host stays as it is and equals only itself. */
function asciiHost(host: string): string {
  if (host.includes("*"))
    return host
      .split(".")
      .map((label) => (label.includes("*") ? label : asciiHost(label)))
      .join(".");
  return URL.parse(`http://${host}/`)?.hostname ?? host;
}
