import { isIP } from "node:net";
import { HaftError } from "@haft/core/tool";
import type { Reach } from "@haft/host";
import { guardedAgent, systemLookup, type Zone, zoneOf } from "@haft/host/net";
import type { FetchLike } from "@modelcontextprotocol/client";
import { fetch as undiciFetch } from "undici";

interface GuardOptions {
  /** The server's own address. */
  readonly server: URL;
  /** The user named this address: its name may lead into a private network. */
  readonly isVouched: boolean;
}

interface Guarded {
  readonly fetch: FetchLike;
  close(): Promise<void>;
}

/**
 * The guarded client for one MCP server. The server leads us to further hosts, such as its authorization server and redirect targets. Those
 * must be in the same network as the server, or public. Otherwise a server could make us send requests behind our own firewall.
 */
export function guardedFetch(options: GuardOptions): Guarded {
  const dispatcher = guardedAgent(serverReach(options));
  return {
    async fetch(input, init) {
      const url = new URL(input instanceof Request ? input.url : input);
      const answer = await undiciFetch(url, { ...init, dispatcher } as Parameters<typeof undiciFetch>[1]);
      return answer as unknown as Response;
    },
    close: () => dispatcher.destroy(),
  };
}

function serverReach({ server, isVouched }: GuardOptions): Reach {
  const own = hostOf(server);
  const isLiteral = isIP(own) !== 0 || isLocalhost(own);
  const zones = new Set<Zone>(["public"]);
  return {
    async resolve(name) {
      const host = name.toLowerCase();
      const addresses = isIP(host) === 0 ? await systemLookup(host) : [host];
      for (const address of addresses) {
        const zone = zoneOf(address);
        if (host === own && zone !== "forbidden" && (zone === "public" || isVouched || isLiteral)) zones.add(zone);
        if (!zones.has(zone)) throw refused(host, address, zone);
      }
      return { addresses };
    },
  };
}

/**
 * Follows redirects within an origin, as when reading a document; a redirect elsewhere is refused. For OAuth, whose documents and endpoints
 * decide where credentials go.
 *
 * @throws HaftError `address_blocked` for a redirect to another origin, and for plain HTTP outside this machine.
 */
export function strictFetch(next: FetchLike): FetchLike {
  return async (input, init) => {
    let url = new URL(input instanceof Request ? input.url : input);
    for (let hops = 0; hops <= MOST_HOPS; hops += 1) {
      if (url.protocol !== "https:" && !isLoopback(url)) throw typeError(plainHttp(url));
      const answer = await next(url, { ...init, redirect: "manual" });
      const to = answer.headers.get("location");
      if (answer.status < 300 || answer.status >= 400 || to === null) return answer;
      const target = new URL(to, url);
      if (target.origin !== url.origin || (init?.method ?? "GET") !== "GET") throw typeError(redirected(url, target));
      await answer.body?.cancel();
      url = target;
    }
    throw typeError(
      new HaftError({
        code: "address_blocked",
        message: `${url.origin} redirects more than ${MOST_HOPS} times.`,
        hint: "Use the final address.",
      }),
    );
  };
}

const MOST_HOPS = 3;

/** A failed fetch throws a TypeError. After any other error the SDK continues with a guess. */
const typeError = (error: HaftError): TypeError => new TypeError(error.message, { cause: error });

/** Whether the text of an address names this machine. */
const isLoopback = (url: URL): boolean => isLocalhost(hostOf(url)) || zoneOf(hostOf(url)) === "loopback";

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "").toLowerCase();

const isLocalhost = (host: string): boolean => host === "localhost" || host.endsWith(".localhost");

const refused = (host: string, address: string, zone: Zone): HaftError =>
  new HaftError({
    code: "address_blocked",
    message:
      host === address
        ? `${host} is blocked: it is a ${zone} address.`
        : `${host} is blocked: its address ${address} is ${zone}.`,
    hint: "Servers in a private network have to be in your own settings, not in a project's.",
  });

const redirected = (from: URL, to: URL): HaftError =>
  new HaftError({
    code: "address_blocked",
    message: `${from.origin} redirects to ${to.origin}, which is not followed, because it could receive credentials.`,
    hint: "Ask the operator of the server to correct its authorization metadata.",
  });

const plainHttp = (url: URL): HaftError =>
  new HaftError({
    code: "address_blocked",
    message: `${url.origin} is plain HTTP: credentials are not sent over it.`,
    hint: "Ask the operator of the server to offer https.",
  });
