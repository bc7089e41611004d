/** The questions that a look at a place can answer. If the answer cannot be determined, it is no. */
export type LookKind =
  /** Folders that git may name as the top of the repository that contains this one. */
  | "toplevel"
  /** No branch and no tag of the repositories around this folder looks like an option. */
  | "plainRefs"
  /** The program in this file loads nothing from elsewhere. */
  | "program"
  /** The file exists. */
  | "file"
  /** It is a JSON file by its name, after all links are resolved. */
  | "dataFile"
  /** Opening this SQLite database for reading writes nothing. */
  | "settledDatabase"
  /** No view or index of this database calls a function that starts programs or opens other files. */
  | "tameDatabase"
  /** No name in this folder looks like an option. The author of the files chose the names, and to `sed` `-i.ts` among `*.ts` is an
   * option. */
  | "plainNames"
  /** Every name in this folder stays one word when the shell splits it. */
  | "wholeNames"
  /** The same for all names below it. */
  | "wholeTree"
  /** No link below this folder, however deep, leads out of it. */
  | "closedTree"
  /** In this folder the program finds nothing of a project that would make it run or fetch something else. */
  | "undirected"
  /** rustup has its settings in this home, or is not installed. With any subcommand it creates missing settings. */
  | "rustup";

/** A question that a look at a place answers. It concerns a path, and for some kinds a program that works there. */
export interface Look {
  readonly kind: LookKind;
  readonly path: string;
  readonly program?: string;
}

/** A condition of a judgement, with the message for when it does not hold. */
export interface Need extends Look {
  readonly why: string;
}

/** The key of a question. */
export const lookKey = ({ kind, path, program = "" }: Look): string => `${kind} ${program} ${path}`;
