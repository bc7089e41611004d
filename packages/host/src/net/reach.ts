import { isIP } from "node:net";
import { compileHost, type HostPattern, normalizeHost } from "@haft/core/policy";
import { HaftError } from "@haft/core/tool";

/** Decides where connections may go. Every connection of Haft to an untrusted address asks one. */
export interface Reach {
  /** Checked addresses to connect to for a host, or the reason for a refusal. */
  resolve(host: string, port: number): Promise<Resolved>;
}

export type Resolved = { readonly addresses: readonly string[] } | Refusal;

/** Why there is no connection. A name without an address is probably misspelled, and not closed by anyone. */
export interface Refusal {
  readonly refused: string;
  readonly isUnknown?: true;
}

/** Finds the addresses of a name. */
export type Lookup = (host: string) => Promise<readonly string[]>;

/** Asks the system's resolver. */
export const systemLookup: Lookup = async (host) => {
  const { lookup } = await import("node:dns/promises");
  return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);
};

/**
 * Reaches the hosts in a list: `example.org`, `*.example.org`, `example.org:443`. It still refuses addresses that are not
 * public, since a name may lead anywhere, unless the list has that very address (or `localhost`), or a range
 * with it, `10.0.0.0/8`. An empty list reaches nothing.
 */
export function reachOf(list: readonly string[], find: Lookup = systemLookup): Reach {
  const ranges = list.filter((entry) => /\/\d+$/.test(entry));
  const patterns = list.flatMap((entry): HostPattern[] => {
    const pattern = ranges.includes(entry) ? { problem: "a range" } : compileHost(entry);
    return "problem" in pattern ? [] : [pattern];
  });
  return {
    async resolve(host, port) {
      const name = normalizeHost(host);
      // Two programs may read a name differently if it needs more than case normalisation.
      if (!/^[a-z0-9._:-]+$/.test(name)) return { refused: `${JSON.stringify(host)} is not a host.` };
      // Loaded with the first connection.
      const { isInRange, zoneOf } = await import("./zone.ts");
      const isIn = (address: string): boolean => ranges.some((range) => isInRange(address, range));
      const isAddress = isIP(name) > 0;
      const granted = patterns.filter((pattern) => pattern.matches(name, port));
      if (granted.length === 0 && !(isAddress && isIn(name))) return { refused: `${name}:${port} was not granted.` };
      const isMeant = granted.some(({ literal }) => literal === name) && (isAddress || name === "localhost");
      const found = isAddress ? [name] : await find(name).catch(() => []);
      if (found.length === 0) return { refused: `${name} has no address.`, isUnknown: true };
      const closed = isMeant ? undefined : found.find((address) => zoneOf(address) !== "public" && !isIn(address));
      if (closed === undefined) return { addresses: found };
      const where = isAddress ? `${name} is` : `${name} resolves to ${closed},`;
      return { refused: `${where} a non-public address that was not granted.` };
    },
  };
}

/** The error for a refused connection, with a hint. */
export const blocked = ({ refused, isUnknown }: Refusal): HaftError =>
  new HaftError({
    code: "address_blocked",
    message: refused,
    hint: isUnknown
      ? "Check the address, or try another source."
      : "Tools cannot reach private networks or this machine. The user can allow a host in their settings: web.privateHosts.",
  });
