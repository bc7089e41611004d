import type { Files } from "@haft/core/tool";
import { LOADING_WORDS } from "../reader/script/jq.ts";
import { isSettled, isTame } from "./database.ts";
import { isUndirected } from "./directed.ts";
import type { Look, LookKind } from "./fact.ts";
import { hasPlainRefs } from "./plain-refs.ts";
import { toplevelsOf } from "./toplevel.ts";

/** The part of the files that looks need: where paths lead, and whether files contain certain words. It shows nothing and runs nothing. */
export type Looking = Pick<Files, "locate" | "mentions">;

/** Says whether the answer allows a stronger proof; if it depends on paths, with these paths. */
type Looker = (path: string, files: Looking, program: string) => Promise<boolean | readonly string[]>;

/** Characters at which the shell splits a word, or that make it a pattern. */
const SPLITTING: readonly string[] = [" ", "\t", "\n", "*", "?", "[", "\\", "("];

const LOOKERS: Readonly<Record<LookKind, Looker>> = {
  toplevel: async (folder, files) => (await toplevelsOf(folder, files)) ?? false,
  plainRefs: hasPlainRefs,
  program: async (path, files) =>
    (await kindOf(path, files)) === "file" && (await files.mentions?.(path, LOADING_WORDS)) === false,
  file: async (path, files) => (await kindOf(path, files)) === "file",
  dataFile: async (path, files) => {
    const place = await files.locate(path).catch(() => undefined);
    return place?.kind === "file" && place.path.endsWith(".json");
  },
  settledDatabase: isSettled,
  tameDatabase: isTame,
  plainNames: async (folder, files) => (await files.mentions?.(folder, ["/-"], { shallow: true })) === false,
  wholeNames: (folder, files) => areWhole(folder, files, true),
  wholeTree: (folder, files) => areWhole(folder, files, false),
  closedTree: async (tree, files) => (await files.mentions?.(tree, [])) === false,
  rustup: hasRustupSettings,
  undirected: (folder, files, program) => isUndirected(program, folder, files),
};

/** Performs a look. Returns the paths that the answer names, or nothing if it proves nothing more. */
export async function look({ kind, path, program = "" }: Look, files: Looking): Promise<readonly string[] | undefined> {
  const answer = await LOOKERS[kind](path, files, program);
  return answer === true ? [] : answer || undefined;
}

const kindOf = async (path: string, files: Looking) => (await files.locate(path).catch(() => undefined))?.kind;

const PROGRAM_FOLDERS: readonly string[] = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];

/** The environment decides which rustup starts and where its settings are. */
async function hasRustupSettings(home: string, files: Looking): Promise<boolean> {
  const { RUSTUP_HOME = `${home}/.rustup`, PATH = "" } = process.env;
  if ((await kindOf(`${RUSTUP_HOME}/settings.toml`, files)) === "file") return true;
  const named = PATH.split(":").filter((folder) => folder.startsWith("/"));
  const folders = new Set([`${home}/.cargo/bin`, ...PROGRAM_FOLDERS, ...named]);
  const kinds = await Promise.all([...folders].map((folder) => kindOf(`${folder}/rustup`, files)));
  return kinds.every((kind) => kind === "missing");
}

async function areWhole(folder: string, files: Looking, shallow: boolean): Promise<boolean> {
  if ((await kindOf(folder, files)) === "missing") return true;
  return (await files.mentions?.(folder, SPLITTING, { shallow })) === false;
}
