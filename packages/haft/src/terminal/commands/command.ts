/** A command of the terminal UI itself, beside those of the session. */
export interface TerminalCommand {
  /** Without the slash. */
  readonly name: string;
  readonly description: string;
  readonly argumentHint?: string;
  /** Returns text to print, already drawn. */
  run(args: string): Promise<string | undefined> | string | undefined;
}
