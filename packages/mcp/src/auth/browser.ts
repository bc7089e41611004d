/** How a person reaches an authorization server and returns. */
export interface Browser {
  /** Prepares to receive them, if possible at the address that `preferred` names: a client may be registered with it. */
  open(preferred: string | undefined): Promise<Visit>;
}

/** One visit to an authorization server. */
export interface Visit extends AsyncDisposable {
  /** The address to which the authorization server redirects the person. */
  readonly redirectUrl: string;
  /** Takes the person there, and resolves with the address at which they returned. */
  go(address: URL, signal: AbortSignal): Promise<URL>;
}
