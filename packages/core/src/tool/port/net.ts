/** The network, for tools: one guarded client. */

/** A request to a server. */
export interface NetRequest {
  /** Default GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /**
   * `follow`, the default: redirects are followed as far as the call's `connect` effects reach. A redirect that leads
   * further is returned as it is: its status is 3xx and its `location` header says where it leads. `manual`: all are.
   */
  readonly redirect?: "follow" | "manual";
  /** Most bytes of the body, counted after decompression. Default 10 MB; a longer one fails with `file_too_large`. */
  readonly maxBytes?: number;
  /** Milliseconds until the whole answer must be there. Default 30 seconds. */
  readonly timeoutMs?: number;
  /** Takes an answer of the last so many milliseconds to the same GET request, where one is kept. Default: none. */
  readonly cacheMs?: number;
  readonly signal?: AbortSignal;
  /** What the grant allows. It comes from the executor, never from a tool. */
  readonly within?: (hop: NetHop) => boolean;
}

/** One request of the several that redirects may lead to. */
export interface NetHop {
  readonly url: URL;
  /** It carries something to the server beside its address: a body, or a method other than GET and HEAD. */
  readonly sends: boolean;
}

/**
 * HTTP and HTTPS. Private networks and this machine are closed unless the user's own settings open them. Every name is
 * looked up once, all its addresses are checked, and the connection goes to a checked one. Cookies are not kept.
 */
export interface Net {
  /**
   * Fetches an address. Needs a `connect` effect for its host.
   *
   * @throws HaftError `invalid_input` for what is no http address, `address_blocked` for a closed one, `fetch_failed`
   * when no answer comes, `timeout`, and while the body is read `file_too_large`.
   */
  fetch(url: string | URL, request?: NetRequest): Promise<Response>;
}

/** The port of an address, also where it is the usual one and not written. */
export const portOf = (url: URL): number =>
  url.port === "" ? (url.protocol === "https:" || url.protocol === "wss:" ? 443 : 80) : Number(url.port);
