/** Language servers: programs that know the meaning of source code, such as definitions, references and errors. */

/** The operations of a language server. */
export const languageOperations = [
  "goToDefinition",
  "findReferences",
  "hover",
  "documentSymbol",
  "workspaceSymbol",
  "goToImplementation",
  "prepareCallHierarchy",
  "incomingCalls",
  "outgoingCalls",
  "diagnostics",
] as const;

/** One of the `languageOperations`. */
export type LanguageOperation = (typeof languageOperations)[number];

/** A language server that can be started or already runs. */
export interface LanguageServer {
  readonly name: string;
  readonly argv: readonly string[];
  /** The folder that it works in. */
  readonly cwd: string;
  readonly isRunning: boolean;
  /** Nobody has agreed to its start, so starting it needs a `run` effect. */
  readonly needsConsent: boolean;
}

/** A question about a file. */
export interface LanguageRequest {
  readonly operation: LanguageOperation;
  /** The real path of the file, and its text. */
  readonly path: string;
  readonly text: string;
  /** The position, both from 1. Default: the start of the file. */
  readonly line?: number;
  readonly character?: number;
  /** For `workspaceSymbol`: part of the name. */
  readonly query?: string;
}

/** A place in a file, and the symbol there if the server names it. Numbers count from 1. */
export interface LanguagePlace {
  readonly path: string;
  readonly line: number;
  readonly character: number;
  readonly name?: string;
  readonly kind?: string;
  /** The symbol that contains this one. */
  readonly container?: string;
  /** How many symbols contain this one. */
  readonly depth?: number;
}

/** A problem that a language server found. Numbers count from 1. */
export interface LanguageDiagnostic {
  readonly line: number;
  readonly character: number;
  readonly severity: "error" | "warning" | "information" | "hint";
  readonly message: string;
  readonly code?: string;
}

/** The answer of a language server. */
export interface LanguageReply {
  readonly server: string;
  readonly places?: readonly LanguagePlace[];
  /** Places in all, if there are more than in `places`. */
  readonly total?: number;
  /** The text of `hover`. */
  readonly text?: string;
  readonly diagnostics?: readonly LanguageDiagnostic[];
}

/** The language servers of a session. They start with the first question and end with the session. */
export interface Languages {
  /** The server for a file, by its extension. May be called before the decision. */
  serverFor(path: string): LanguageServer | undefined;
  /** The names of all servers with their file extensions. */
  list(): readonly { readonly name: string; readonly extensions: readonly string[] }[];
  /**
   * Asks the file's server, and starts it if it does not run. Needs a `read` effect for the file.
   *
   * @throws HaftError `tool_unavailable` if it cannot be started or lacks the operation, `timeout` if it gives no answer,
   * `execution_failed` if it ends meanwhile or answers with an error.
   */
  ask(request: LanguageRequest, bounds: { readonly signal: AbortSignal }): Promise<LanguageReply>;
}
