import type { Haft } from "../../../app/haft.ts";

/** Addresses that name a server as well: what two servers name alike stays two things. */
const SERVERS = "haft://servers/";

/** The address of a server's resource that is nobody else's. */
export const addressAt = (server: string, uri: string): string =>
  `${SERVERS}${encodeURIComponent(server.toWellFormed())}/${encodeURIComponent(uri)}`;

/** Haft's own addresses, however they are written. */
export const isOurs = (address: string): boolean => /^haft:/i.test(address);

export const namesServer = (address: string): boolean => address.startsWith(SERVERS);

/** What such an address stands for; `undefined`: it was never given out. */
export function namedIn(address: string): { readonly server: string; readonly uri: string } | undefined {
  const [server, uri, ...more] = address.slice(SERVERS.length).split("/");
  if (!server || !uri || more.length > 0) return undefined;
  try {
    return { server: decodeURIComponent(server), uri: decodeURIComponent(uri) };
  } catch {
    return undefined;
  }
}

/** Links of one client that are remembered. Of older ones it reads those that some list or template names. */
const REMEMBERED = 1_000;

/** By client: which server has pointed at an address. A tool may point at what no list names. */
const pointed = new WeakMap<Haft, Map<string, string>>();

/** Remembers that a server has pointed at something, and says under which address its client reads it. */
export function rememberLink(haft: Haft, server: string, uri: string): string {
  const known = pointed.get(haft) ?? new Map<string, string>();
  pointed.set(haft, known);
  const owner = known.get(uri) ?? server;
  // What is pointed at again is remembered for longer. What another server calls the same stays another thing.
  known.delete(uri);
  known.set(uri, owner);
  const [oldest] = known.keys();
  if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
  return owner === server ? uri : addressAt(server, uri);
}

/** The server that has pointed this client at an address. */
export const whoPointedAt = (haft: Haft, uri: string): string | undefined => pointed.get(haft)?.get(uri);
