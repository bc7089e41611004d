import type { Effect, Files } from "@haft/core/tool";

/**
 * The effects of a script whose git commands meet these repositories. A repository may tell git to run programs of its
 * choice: what git does there is then not known.
 */
export async function withGitDoubt(
  { effects, gitFolders = [] }: { readonly effects: readonly Effect[]; readonly gitFolders?: readonly string[] },
  files: Pick<Files, "gitConfig">,
): Promise<readonly Effect[]> {
  const { riskyGitConfig } = await import("../../../shell/index.ts");
  const configs = await Promise.all(gitFolders.map((path) => files.gitConfig(path)));
  return configs.some((config) => riskyGitConfig(config ?? "").length > 0) ? effects.map(doubted) : effects;
}

const doubted = (effect: Effect): Effect =>
  effect.do === "run" && /(^|\/)git$/.test(effect.argv[0] ?? "")
    ? { ...effect, opaque: true, basis: "enforced" }
    : effect;
