import type { Files } from "@haft/core/tool";
import { LOADING_WORDS } from "../reader/script/jq.ts";
import { isSettled } from "./database.ts";
import { isUndirected } from "./directed.ts";
import { hasPlainRefs } from "./plain-refs.ts";
import { toplevelsOf } from "./toplevel.ts";

/** As much of the files as looks need: where things lie, and whether words stand in them. Nothing is shown and nothing runs. */
export type Looking = Pick<Files, "locate" | "mentions">;

/** Says whether the answer lets more be proved; where that depends on them, with which paths. */
type Looker = (path: string, files: Looking, program: string) => Promise<boolean | readonly string[]>;

/** Where the shell splits a word, or takes it for a pattern. */
const SPLITTING: readonly string[] = [" ", "\t", "\n", "*", "?", "[", "\\", "("];

/** What looks find out. Where it cannot be told, the answer is no. */
const LOOKS = {
  /** Folders that git may name as the top of the repository in which this one lies. */
  toplevel: async (folder, files) => (await toplevelsOf(folder, files)) ?? false,
  /** No branch and no tag of the repositories around this folder looks like an option. */
  plainRefs: hasPlainRefs,
  /** The program in this file loads nothing from elsewhere. */
  program: async (path, files) =>
    (await kindOf(path, files)) === "file" && (await files.mentions?.(path, LOADING_WORDS)) === false,
  /** To read this database of SQLite writes nothing and starts nothing. */
  database: isSettled,
  /** No name in this folder looks like an option: whoever made the files chose them, and to `sed` `-i.ts` among `*.ts` is one. */
  plainNames: async (folder, files) => (await files.mentions?.(folder, ["/-"], { shallow: true })) === false,
  /** Every name in this folder stays one word when the shell splits it. */
  wholeNames: (folder, files) => areWhole(folder, files, true),
  /** The same of all names below it. */
  wholeTree: (folder, files) => areWhole(folder, files, false),
  /** No link below this folder, however deep, leads out of it. */
  closedTree: async (tree, files) => (await files.mentions?.(tree, [])) === false,
  /** In this folder the program finds nothing of a project that would have it run or fetch something else. */
  undirected: (folder, files, program) => isUndirected(program, folder, files),
} satisfies Record<string, Looker>;

/** What a look at a place can find out. */
export type LookKind = keyof typeof LOOKS;

/** A question that a look at a place answers: of a path, and for some kinds of a program that works there. */
export interface Look {
  readonly kind: LookKind;
  readonly path: string;
  readonly program?: string;
}

/** What a question is known by. */
export const lookKey = ({ kind, path, program = "" }: Look): string => `${kind} ${program} ${path}`;

/** Looks. Gives the paths that the answer names, or nothing where it lets nothing more be proved. */
export async function look({ kind, path, program = "" }: Look, files: Looking): Promise<readonly string[] | undefined> {
  const looker: Looker = LOOKS[kind];
  const answer = await looker(path, files, program);
  return answer === true ? [] : answer || undefined;
}

const kindOf = async (path: string, files: Looking) => (await files.locate(path).catch(() => undefined))?.kind;

async function areWhole(folder: string, files: Looking, shallow: boolean): Promise<boolean> {
  if ((await kindOf(folder, files)) === "missing") return true;
  return (await files.mentions?.(folder, SPLITTING, { shallow })) === false;
}
