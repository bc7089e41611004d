import type { Files } from "@haft/core/tool";
import { LOADING_WORDS } from "../reader/script/jq.ts";
import { isSettled, isTame } from "./database.ts";
import { isUndirected } from "./directed.ts";
import type { Look, LookKind } from "./look.ts";
import { hasPlainRefs } from "./plain-refs.ts";
import { toplevelsOf } from "./toplevel.ts";

/** As much of the files as looks need: where things lie, and whether words stand in them. Nothing is shown and nothing runs. */
export type Looking = Pick<Files, "locate" | "mentions">;

/** Says whether the answer lets more be proved; where that depends on them, with which paths. */
type Looker = (path: string, files: Looking, program: string) => Promise<boolean | readonly string[]>;

/** Where the shell splits a word, or takes it for a pattern. */
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

/** Looks. Gives the paths that the answer names, or nothing where it lets nothing more be proved. */
export async function look({ kind, path, program = "" }: Look, files: Looking): Promise<readonly string[] | undefined> {
  const answer = await LOOKERS[kind](path, files, program);
  return answer === true ? [] : answer || undefined;
}

const kindOf = async (path: string, files: Looking) => (await files.locate(path).catch(() => undefined))?.kind;

const RUSTUPS: readonly string[] = ["/usr/bin/rustup", "/usr/local/bin/rustup", "/opt/homebrew/bin/rustup"];

async function hasRustupSettings(home: string, files: Looking): Promise<boolean> {
  if ((await kindOf(`${home}/.rustup/settings.toml`, files)) === "file") return true;
  const kinds = await Promise.all([`${home}/.cargo/bin/rustup`, ...RUSTUPS].map((path) => kindOf(path, files)));
  return kinds.every((kind) => kind === "missing");
}

async function areWhole(folder: string, files: Looking, shallow: boolean): Promise<boolean> {
  if ((await kindOf(folder, files)) === "missing") return true;
  return (await files.mentions?.(folder, SPLITTING, { shallow })) === false;
}
