import type { Haft } from "../../../app/haft.ts";

/** Addresses that also name a server: equal addresses of two servers stay distinct. */
const SERVERS = "haft://servers/";

/** The unique address of a server's resource. */
export const addressAt = (server: string, uri: string): string =>
  `${SERVERS}${encodeURIComponent(server.toWellFormed())}/${encodeURIComponent(uri)}`;

/** Whether an address is one of Haft's own, in any spelling. */
export const isOurs = (address: string): boolean => /^haft:/i.test(address);

export const namesServer = (address: string): boolean => address.startsWith(SERVERS);

/** The resource that such an address names; `undefined`: the address was never issued. */
export function namedIn(address: string): { readonly server: string; readonly uri: string } | undefined {
  const [server, uri, ...more] = address.slice(SERVERS.length).split("/");
  if (!server || !uri || more.length > 0) return undefined;
  try {
    return { server: decodeURIComponent(server), uri: decodeURIComponent(uri) };
  } catch {
    return undefined;
  }
}

/** Maximum remembered links of one client. Older links can be read only if a list or template names them. */
const REMEMBERED = 1_000;

/** For each client, the server that linked to an address. A tool may link to addresses that no list names. */
const pointed = new WeakMap<Haft, Map<string, string>>();

/** Remembers a server's link, and returns the address where its client can read it. */
export function rememberLink(haft: Haft, server: string, uri: string): string {
  const known = pointed.get(haft) ?? new Map<string, string>();
  pointed.set(haft, known);
  const owner = known.get(uri) ?? server;
  // A repeated link is remembered for longer. The same address from another server stays distinct.
  known.delete(uri);
  known.set(uri, owner);
  const [oldest] = known.keys();
  if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
  return owner === server ? uri : addressAt(server, uri);
}

/** The server that linked this client to an address. */
export const whoPointedAt = (haft: Haft, uri: string): string | undefined => pointed.get(haft)?.get(uri);
