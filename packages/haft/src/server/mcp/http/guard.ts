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
  readonly path: string;
  /** Names and addresses, without port, that the server accepts as its own. */
  readonly hosts: readonly string[];
  /** Absent: anyone who can reach the server may use it. */
  readonly tokens?: Tokens;
}

/** The client of a request, or the reason for its refusal. Reads only the request's head. */
export type Guard = (request: Pick<IncomingMessage, "url" | "headers">) => { readonly client: string } | Refusal;

/**
 * A web page can make a browser send requests to this machine. The Origin header then has the page's own name, and
 * after DNS rebinding the Host header as well. Both are refused before any other check.
 */
export function createGuard({ path, hosts, tokens }: GuardOptions): Guard {
  const allowed = [...hosts];
  return ({ url = "", headers }) => {
    if (NO_PLACE.test(headers.host ?? ""))
      return { status: 403, message: `Forbidden: Invalid Host header: ${headers.host}` };
    const host = validateHostHeader(headers.host, allowed);
    if (!host.ok) return { status: 403, message: `Forbidden: ${host.message}` };
    const origin = validateOriginHeader(headers.origin, allowed);
    if (!origin.ok) return { status: 403, message: `Forbidden: ${origin.message}` };
    if (url.split("?", 1)[0] !== path) return { status: 404, message: `Not found. The server is at ${path}.` };
    const client = tokens ? tokens.clientOf(headers.authorization) : "anyone";
    if (client !== undefined) return { client };
    return {
      status: 401,
      message: "Unauthorized: send the header Authorization: Bearer TOKEN with a token of this server.",
      headers: { "WWW-Authenticate": 'Bearer realm="haft"' },
    };
  };
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
