import { analyseShell } from "./analyse.ts";
import type { ShellAnalysis, ShellContext } from "./analysis.ts";

interface ClassifyOptions {
  /** Program names that are always denied, anywhere in the script. `mkfs` also means `mkfs.ext4`. */
  readonly forbidden?: readonly string[];
  /** Default: `/workspace` with the home `/home/user`. The place matters for paths only, not for the class. */
  readonly context?: ShellContext;
}

const SOMEWHERE: ShellContext = { cwd: "/workspace", home: "/home/user" };

/**
 * `allow`: a grammar shows that the script changes nothing. `deny`: it starts a forbidden program, even behind wrappers or in
 * substitutions. `ask`: everything else. It checks the action, not the place: policy decides about paths.
 */
export function classifyCommand(command: string, options: ClassifyOptions = {}): "allow" | "ask" | "deny" {
  const analysis = analyseShell(command, options.context ?? SOMEWHERE);
  if (startsForbidden(analysis, options.forbidden ?? [])) return "deny";
  return changesNothing(analysis) ? "allow" : "ask";
}

/** Whether a grammar shows that a script changes nothing. */
export const isStaticReader = (command: string, context: ShellContext = SOMEWHERE): boolean =>
  changesNothing(analyseShell(command, context));

/** Whether an analysis starts one of the named programs. */
function startsForbidden(analysis: ShellAnalysis, forbidden: readonly string[]): boolean {
  const names = new Set(forbidden);
  return analysis.commands.some(({ argv, wrappers }) =>
    [argv[0] ?? "", ...wrappers].some((word) => {
      const name = word.slice(word.lastIndexOf("/") + 1);
      return names.has(name) || names.has(name.split(".")[0]!);
    }),
  );
}

function changesNothing(analysis: ShellAnalysis): boolean {
  return !analysis.opaque && analysis.effects.every(({ do: word }) => word === "run" || word === "read");
}
