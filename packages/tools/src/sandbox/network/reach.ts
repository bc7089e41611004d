import { isIP } from "node:net";
import { compileHost, type HostPattern, normalizeHost } from "@haft/core/policy";

/** Where a confined command may connect to. */
export interface Reach {
  /** Addresses to connect to for a host, all of them checked, or why it may not be reached. */
  resolve(host: string, port: number): Promise<Resolved>;
}

export type Resolved = { readonly addresses: readonly string[] } | { readonly refused: string };

/** Finds the addresses of a name. */
export type Lookup = (host: string) => Promise<readonly string[]>;

const systemLookup: Lookup = async (host) => {
  const { lookup } = await import("node:dns/promises");
  return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);
};

/**
 * Reaches the hosts that a list names: `example.org`, `*.example.org`, `example.org:443`. Addresses that are not public
 * are closed even so, since a name may lead anywhere: unless the list has that very address (or `localhost`), or a range
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
      // A name that has to be normalised further than case is one that two programs may read differently.
      if (!/^[a-z0-9._:-]+$/.test(name)) return { refused: `${JSON.stringify(host)} is not a host.` };
      const { isPublic, isIn } = await addresses();
      const isAddress = isIP(name) > 0;
      const granted = patterns.filter((pattern) => pattern.matches(name, port));
      const isRanged = isAddress && isIn(name, ranges);
      if (granted.length === 0 && !isRanged) return { refused: `${name}:${port} was not granted.` };
      const isMeant = granted.some(({ literal }) => literal === name) && (isAddress || name === "localhost");
      const found = isAddress ? [name] : await find(name).catch(() => []);
      if (found.length === 0) return { refused: `${name} has no address.` };
      const closed = isMeant ? undefined : found.find((address) => !isPublic(address) && !isIn(address, ranges));
      if (closed === undefined) return { addresses: found };
      return { refused: `${name} leads to ${closed}, which is not a public address and was not granted as such.` };
    },
  };
}

/** They look public: where a cloud tells a machine about itself, and IPv4 addresses in the oldest clothes of IPv6. */
const NOT_PUBLIC: readonly string[] = ["168.63.129.16/32", "::/96"];

/** What is known of addresses; loaded with the first command that may connect. */
async function addresses() {
  const { default: ip } = await import("ipaddr.js");
  /** An IPv4 address in the clothes of IPv6 is that IPv4 address. */
  const parse = (address: string) => ip.process(address);
  const isIn = (address: string, ranges: readonly string[]): boolean => {
    const one = parse(address);
    return ranges.some((range) => {
      if (!ip.isValidCIDR(range)) return false;
      const [base, bits] = ip.parseCIDR(range);
      return base.kind() === one.kind() && one.match(base, bits);
    });
  };
  return {
    isPublic: (address: string): boolean => parse(address).range() === "unicast" && !isIn(address, NOT_PUBLIC),
    isIn,
  };
}
