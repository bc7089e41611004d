import type { Effect, Files, Ports } from "@haft/core/tool";
import type { GitStarts } from "@haft/shell";
import { isGit, placeOf, wordOf } from "./git-place.ts";
import { privateHistory } from "./private-history.ts";
import { shell } from "./shell.ts";

interface Analysed {
  readonly effects: readonly Effect[];
  readonly gitFolders?: readonly string[];
  readonly home: string;
}

/** The effects of a script, with doubts that arise from its folder, not from the script's words. */
export async function withDoubts(analysed: Analysed, { files, processes }: Pick<Ports, "files" | "processes">) {
  const own = await withGitDoubt(analysed, files);
  const effects = [...own, ...(await privateHistory(own, files))];
  const folders = new Set(effects.flatMap((effect) => (effect.do === "run" ? [effect.cwd] : [])));
  for (const folder of folders) {
    const choice = processes.replaced?.(folder);
    if (choice === undefined) continue;
    const why = `${choice} names a program of the project that could run instead of the usual one.`;
    const { sayingWhatShows } = await shell();
    return sayingWhatShows([...effects, { do: "unknown", basis: "proved", why }]);
  }
  return effects;
}

/**
 * Programs that a repository configures for git are effects of their own: a rule that allows `git diff` does not allow
 * the program with which the repository compares. If the configuration changes more than that, git's behaviour is
 * unknown.
 */
async function withGitDoubt(
  { effects, gitFolders = [], home }: Analysed,
  files: Pick<Files, "gitConfig">,
): Promise<readonly Effect[]> {
  const runs = effects.filter((effect) => effect.do === "run").filter(isGit);
  if (runs.length === 0) return effects;
  const { gitSettings, gitStarts, riskyGitSettings } = await shell();
  const added = new Map<string, Effect>();
  let isOdd = false;
  for (const folder of new Set([...gitFolders, ...runs.map(placeOf)])) {
    const text = (await files.gitConfig(folder)) ?? "";
    const risky = gitFolders.includes(folder) ? riskyGitSettings(text) : [];
    isOdd ||= risky.some((setting) => gitStarts([{ ...setting, value: "x" }]).commands.length === 0);
    const starts = runs.map((run) =>
      run.opaque && placeOf(run) === folder ? gitStarts(gitSettings(text), wordOf(run)) : gitStarts(risky, wordOf(run)),
    );
    for (const one of starts)
      for (const effect of await effectsOf(one, { cwd: folder, home })) added.set(JSON.stringify(effect), effect);
  }
  return [...(isOdd ? effects.map(doubted) : effects), ...added.values()];
}

/** The programs that a configuration makes git start, as effects. Their behaviour and their arguments are unknown. */
async function effectsOf(
  { commands, unclear }: GitStarts,
  { cwd, home }: { readonly cwd: string; readonly home: string },
): Promise<readonly Effect[]> {
  const { analyseShell } = await shell();
  const effects = commands.flatMap((text): readonly Effect[] => {
    const inner = analyseShell(text, { cwd, home, inOtherShell: true }).effects.map(unproved);
    const whole: Effect = { do: "run", basis: "enforced", argv: text.trim().split(/\s+/), text, cwd, opaque: true };
    return inner.some(({ do: word }) => word === "run") ? inner : [whole, ...inner];
  });
  if (unclear === undefined) return effects;
  const why = `The configuration of the repository (${unclear}) may make git start programs.`;
  return [...effects, { do: "unknown", basis: "proved", why }];
}

const unproved = (effect: Effect): Effect =>
  effect.do === "run" ? { ...effect, opaque: true, basis: "enforced" } : effect;

const doubted = (effect: Effect): Effect =>
  effect.do === "run" && isGit(effect) ? { ...effect, opaque: true, basis: "enforced" } : effect;
