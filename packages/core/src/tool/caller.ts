/** A request that a tool may make of its caller: fill in a form, get a model's answer, list its folders. Names are MCP's. */
export interface CallerRequest {
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  readonly params?: Readonly<Record<string, unknown>>;
}

/**
 * The program that asked for a call, such as the client of an MCP server. Only this program gets the request, and it
 * gets the result anyway, so a tool needs no effect for asking. The answer is untrusted: check it before use.
 */
export interface Caller {
  /** The capabilities that it announced. */
  readonly can: ReadonlySet<CallerRequest["method"]>;
  /**
   * Asks, and waits without consuming the call's time or its place among the running calls. `key` identifies the
   * question within the call: use the same key each time the call is made.
   *
   * Rejects with HaftError `tool_unavailable` for a request that the caller does not support.
   */
  ask(key: string, request: CallerRequest): Promise<Readonly<Record<string, unknown>>>;
}
