/** What a tool may want of its caller: a form filled in, a model's answer, the folders they work in. Names are MCP's. */
export interface CallerRequest {
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  readonly params?: Readonly<Record<string, unknown>>;
}

/**
 * The program that asked for a call, such as the client of an MCP server. It reaches nobody but the one who gets the
 * result, so a tool needs no effect for it. What comes back is a stranger's word: check it before use.
 */
export interface Caller {
  /** What it has said that it can do. */
  readonly can: ReadonlySet<CallerRequest["method"]>;
  /**
   * Asks, and waits without consuming the call's time or its place among the running calls. `key` names the question
   * within the call, the same each time the call is made.
   *
   * Rejects with HaftError `tool_unavailable` for what the caller cannot do.
   */
  ask(key: string, request: CallerRequest): Promise<Readonly<Record<string, unknown>>>;
}
