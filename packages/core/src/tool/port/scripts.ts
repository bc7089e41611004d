/** Runs JavaScript that can do nothing but compute and call tools. */
export interface Scripts {
  /**
   * Runs code in an agent's interpreter. Variables and functions stay for the agent's next script. Throws `timeout` or
   * `limit_reached` when a limit ends it; the interpreter is then empty.
   */
  run(code: string, options: ScriptOptions): Promise<ScriptEnd>;
  /** Starts an interpreter ahead of the first script. */
  prepare?(): void;
}

/** Options of one script. */
export interface ScriptOptions {
  readonly agent: string;
  readonly signal: AbortSignal;
  /** Empties the interpreter first. */
  readonly reset?: boolean;
  /** Goes on with the script that the end of the process interrupted: results that are known are not asked for again. */
  readonly resume?: boolean;
  /** Makes one tool call. `started` is called right before the tool itself runs, so after all
   * questions. */
  call(tool: string, input: unknown, started: (onlyReads: boolean) => void): Promise<ScriptAnswer>;
}

/** The answer to a script's call: a value for the script, or an error that it may catch. */
export type ScriptAnswer = { readonly value: unknown } | { readonly error: ScriptError };

/** An error as a script sees it. */
export interface ScriptError {
  readonly name: string;
  readonly message: string;
}

/** How a script ended. */
export interface ScriptEnd {
  /** Everything that it printed. */
  readonly output: string;
  /** The value of its last expression, as text; absent for `undefined`. */
  readonly value?: string;
  /** The error that ended it. */
  readonly error?: ScriptError & { readonly stack?: string };
  /** Number of calls that it made, and how many of them got their result from an earlier run. */
  readonly calls: number;
  readonly replayed: number;
}
