/** The network, for tools: one guarded client. */
import { fail } from "../error.ts";

/** A request to a server. */
export interface NetRequest {
  /** Default GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /**
   * `follow`, the default: follows redirects as far as the call's `connect` effects reach. A redirect beyond them is
   * returned unfollowed: its status is 3xx and its `location` header has the target. `manual`: returns every redirect.
   */
  readonly redirect?: "follow" | "manual";
  /** Limit for the body in bytes, counted after decompression. Default 10 MB; a longer body fails with `file_too_large`. */
  readonly maxBytes?: number;
  /** Timeout for the whole answer in milliseconds. Default 30 seconds. */
  readonly timeoutMs?: number;
  /** Accepts a cached answer to the same GET request up to this age in milliseconds. Default: none. */
  readonly cacheMs?: number;
  readonly signal?: AbortSignal;
  /** The hops that the grant allows. It comes from the executor, never from a tool. */
  readonly within?: (hop: NetHop) => boolean;
}

/** One request in a chain of redirects. */
export interface NetHop {
  readonly url: URL;
  /** It sends data to the server beyond the address: a body, or a method other than GET and HEAD. */
  readonly sends: boolean;
}

/**
 * HTTP and HTTPS. Private networks and this machine are closed unless the user's own settings open them. Every name is
 * resolved once, all its addresses are checked, and the connection goes to a checked one. Cookies are not kept.
 */
export interface Net {
  /**
   * Fetches an address. Needs a `connect` effect for its host.
   *
   * @throws HaftError `invalid_input` for anything but an http address, `address_blocked` for a closed one,
   *   `fetch_failed` when no answer comes, `timeout`, and while reading the body `file_too_large`.
   */
  fetch(url: string | URL, request?: NetRequest): Promise<Response>;
  /**
   * Fails for an address that a fetch is sure to refuse, without contacting anyone: it does not resolve names, because a
   * question to a name server tells the name.
   *
   * @throws HaftError `invalid_input` or `address_blocked`
   */
  check?(url: string | URL): Promise<void>;
}

/** The port of an address, even if the address leaves out the default one. */
export const portOf = (url: URL): number =>
  url.port === "" ? (url.protocol === "https:" || url.protocol === "wss:" ? 443 : 80) : Number(url.port);

/** Web ports below 1024; the others belong to mail, shells, printers and name services. */
const WEB_PORTS: ReadonlySet<number> = new Set([80, 443, 591]);

/** Parses and checks an address for a request. @throws HaftError `invalid_input` or `address_blocked` */
export function checkedAddress(address: string | URL): URL {
  const url = URL.parse(String(address));
  if (!url)
    return fail(
      "invalid_input",
      `"${address}" is not an address.`,
      "Write the whole address: https://example.com/page.",
    );
  if (url.protocol !== "http:" && url.protocol !== "https:")
    fail(
      "address_blocked",
      `${url.protocol} addresses are not fetched.`,
      url.protocol === "file:" ? "Read files with Read." : "Only http: and https: are.",
    );
  if (url.username !== "" || url.password !== "")
    fail(
      "address_blocked",
      "The address carries a user name or password, which would be sent to the server.",
      "Leave the part before the @ out.",
    );
  const port = portOf(url);
  if (port < 1024 && !WEB_PORTS.has(port))
    fail("address_blocked", `Port ${port} is not a web port.`, "Use a web address: ports 80, 443 or above 1023.");
  return url;
}
