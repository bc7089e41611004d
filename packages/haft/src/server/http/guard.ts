import type { IncomingMessage } from "node:http";
import { hostname, networkInterfaces } from "node:os";
import { validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";
import type { Tokens } from "./tokens.ts";

/** A refused request. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface GuardOptions {
  /** The only address of the server. Absent: the server routes by itself. */
  readonly path?: string;
  /** Names and addresses, without port, that the server accepts as its own. */
  readonly hosts: readonly string[];
  /** Absent: anyone who can reach the server may use it. */
  readonly tokens?: Tokens;
  /** Finds the client of a browser by its cookies. They count only for requests of the server's own pages. */
  readonly clientOfCookies?: (cookies: string | undefined) => string | undefined;
}

/** The head of a request. A guard reads nothing else. */
export type RequestHead = Pick<IncomingMessage, "url" | "method" | "headers">;

/** The client of a request, or the reason for its refusal. */
export type Guard = (request: RequestHead) => { readonly client: string } | Refusal;

/**
 * A web page can make a browser send requests to this machine. The Origin header then has the page's own name, and
 * after DNS rebinding the Host header as well. Both are refused before any other check.
 */
export function createGuard({ path, hosts, tokens, clientOfCookies }: GuardOptions): Guard {
  const foreign = createOriginCheck(hosts);
  return (request) => {
    const { url = "", headers } = request;
    const refusal = foreign(request);
    if (refusal) return refusal;
    if (path !== undefined && url.split("?", 1)[0] !== path)
      return { status: 404, message: `Not found. The server is at ${path}.` };
    const client = tokens ? tokens.clientOf(headers.authorization) : "anyone";
    if (client !== undefined) return { client };
    const ofBrowser = clientOfCookies && isFromOwnPage(request) ? clientOfCookies(headers.cookie) : undefined;
    if (ofBrowser !== undefined) return { client: ofBrowser };
    return {
      status: 401,
      message: "Unauthorized: send the header Authorization: Bearer TOKEN with a token of this server.",
      headers: { "WWW-Authenticate": 'Bearer realm="haft"' },
    };
  };
}

/** The part of the guard that public pages need too: refuses requests under a foreign name. */
export function createOriginCheck(hosts: readonly string[]): (request: RequestHead) => Refusal | undefined {
  const allowed = [...hosts];
  return ({ headers }) => {
    if (NO_PLACE.test(headers.host ?? ""))
      return { status: 403, message: `Forbidden: Invalid Host header: ${headers.host}` };
    const host = validateHostHeader(headers.host, allowed);
    if (!host.ok) return { status: 403, message: `Forbidden: ${host.message}` };
    const origin = validateOriginHeader(headers.origin, allowed);
    return origin.ok ? undefined : { status: 403, message: `Forbidden: ${origin.message}` };
  };
}

/**
 * A browser sends a cookie to every port of a host, also for pages of another local server. So a cookie proves something
 * only with an Origin of exactly this server, or for a plain read that the browser itself calls same-origin.
 */
export function isFromOwnPage({ method = "GET", headers }: RequestHead): boolean {
  if (headers.origin !== undefined) return /^https?:\/\/(.+)$/.exec(headers.origin)?.[1] === headers.host;
  const site = headers["sec-fetch-site"];
  const isRead = (method === "GET" || method === "HEAD") && headers.upgrade === undefined;
  return isRead && (site === undefined || site === "same-origin" || site === "none");
}

/**
 * Characters that may surround a host and its port in an address. The SDK would read one host from it, others another.
 */
const NO_PLACE = /[@/?#\\]/;

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** The names that a server listening on `host` accepts. */
export function hostsOf(host: string): readonly string[] {
  const isEverywhere = host === "0.0.0.0" || host === "::";
  const addresses = Object.values(networkInterfaces()).flatMap((list = []) =>
    list.map(({ address }) => bracketed(address)),
  );
  return [...LOOPBACK, ...(isEverywhere ? [hostname(), ...addresses] : [bracketed(host)])];
}

/** An address in URL form. */
export const bracketed = (host: string): string => (host.includes(":") && !host.startsWith("[") ? `[${host}]` : host);
