import type { Effect, Files, Ports } from "@haft/core/tool";
import { shell } from "./shell.ts";

interface Analysed {
  readonly effects: readonly Effect[];
  readonly gitFolders?: readonly string[];
}

/** The effects of a script with what the place casts doubt on, though the words of the script do not. */
export async function withDoubts(analysed: Analysed, { files, processes }: Pick<Ports, "files" | "processes">) {
  const effects = await withGitDoubt(analysed, files);
  const folders = new Set(effects.flatMap((effect) => (effect.do === "run" ? [effect.cwd] : [])));
  for (const folder of folders) {
    const choice = processes.replaced?.(folder);
    if (choice === undefined) continue;
    const why = `${choice} names a program of the project, which may be started in place of another.`;
    const { sayingWhatShows } = await shell();
    return sayingWhatShows([...effects, { do: "unknown", basis: "proved", why }]);
  }
  return effects;
}

/** A repository may tell git to run programs of its choice: what git does there is then not known. */
async function withGitDoubt({ effects, gitFolders = [] }: Analysed, files: Pick<Files, "gitConfig">) {
  if (gitFolders.length === 0) return effects;
  const { riskyGitConfig } = await shell();
  const configs = await Promise.all(gitFolders.map((path) => files.gitConfig(path)));
  return configs.some((config) => riskyGitConfig(config ?? "").length > 0) ? effects.map(doubted) : effects;
}

const doubted = (effect: Effect): Effect =>
  effect.do === "run" && /(^|\/)git$/.test(effect.argv[0] ?? "")
    ? { ...effect, opaque: true, basis: "enforced" }
    : effect;
