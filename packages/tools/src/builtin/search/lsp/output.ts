import type { LanguageOperation, LanguagePlace, LanguageReply } from "@haft/core/tool";

/** A place with its source line, if the call may read it. */
export interface LspPlace extends LanguagePlace {
  readonly source?: string;
}

/** The result of a question to a language server. */
export interface LspOutput extends Omit<LanguageReply, "places"> {
  readonly operation: LanguageOperation;
  readonly file: string;
  readonly places?: readonly LspPlace[];
  /** Places in files that rules close to this call. */
  readonly closed?: number;
}
