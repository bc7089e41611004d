/** What a look at a place can find out. Where it cannot be told, the answer is no. */
export type LookKind =
  /** Folders that git may name as the top of the repository in which this one lies. */
  | "toplevel"
  /** No branch and no tag of the repositories around this folder looks like an option. */
  | "plainRefs"
  /** The program in this file loads nothing from elsewhere. */
  | "program"
  /** There is such a file. */
  | "file"
  /** It is a file of JSON, as the name of the file says that lies behind all links. */
  | "dataFile"
  /** To open this database of SQLite for reading writes nothing. */
  | "settledDatabase"
  /** No view or index of this database calls what starts programs or opens other files. */
  | "tameDatabase"
  /** No name in this folder looks like an option: whoever made the files chose them, and to `sed` `-i.ts` among `*.ts` is one. */
  | "plainNames"
  /** Every name in this folder stays one word when the shell splits it. */
  | "wholeNames"
  /** The same of all names below it. */
  | "wholeTree"
  /** No link below this folder, however deep, leads out of it. */
  | "closedTree"
  /** In this folder the program finds nothing of a project that would have it run or fetch something else. */
  | "undirected"
  /** rustup has its settings in this home, or is not there: where they are missing it makes them, whatever it is asked. */
  | "rustup";

/** A question that a look at a place answers: of a path, and for some kinds of a program that works there. */
export interface Look {
  readonly kind: LookKind;
  readonly path: string;
  readonly program?: string;
}

/** What a judgement rests on, with what is to be said where that is not so. */
export interface Need extends Look {
  readonly why: string;
}

/** What a question is known by. */
export const lookKey = ({ kind, path, program = "" }: Look): string => `${kind} ${program} ${path}`;
