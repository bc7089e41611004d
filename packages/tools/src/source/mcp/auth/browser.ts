/** How a person gets to an authorization server and back. */
export interface Browser {
  /** Gets ready to receive them, if it can where `preferred` says: a client may be registered with that address. */
  open(preferred: string | undefined): Promise<Visit>;
}

/** One visit to an authorization server. */
export interface Visit extends AsyncDisposable {
  /** Where the authorization server sends the person back to. */
  readonly redirectUrl: string;
  /** Brings the person there, and resolves with the address that they came back to. */
  go(address: URL, signal: AbortSignal): Promise<URL>;
}
