import type { Behavior } from "@haft/core/policy";
import { baseline } from "./baseline.ts";
import { looserCommand } from "./commands.ts";
import type { Decide, Exported, ExportNote, Notes, RulesToExport, Target } from "./exported.ts";
import { antigravity } from "./target/antigravity.ts";
import { claude } from "./target/claude.ts";
import { codex } from "./target/codex.ts";
import { cursor } from "./target/cursor.ts";
import { gemini } from "./target/gemini.ts";
import { opencode1, opencode2 } from "./target/opencode.ts";
import { type Effect, readEffect } from "./wanted.ts";

/** Every agent whose settings can be written. */
export const exportTargets = {
  claude,
  codex,
  gemini,
  "opencode@1": opencode1,
  "opencode@2": opencode2,
  antigravity,
  cursor,
} as const satisfies Readonly<Record<string, Target>>;

export type ExportTarget = keyof typeof exportTargets;

/**
 * Writes Haft's rules as another agent's settings. The agent then allows nothing that Haft would ask about: an allow is
 * left out if Haft would not allow everything that it covers there. A deny that cannot be expressed refuses the export, unless
 * `leaveDenies` is set.
 */
export async function exportRules(
  name: ExportTarget,
  rules: RulesToExport,
  decide: Decide,
  options: { readonly leaveDenies?: boolean } = {},
): Promise<Exported> {
  const target: Target = exportTargets[name];
  const notes: ExportNote[] = [];
  const note: Notes = (loss, effect, message) => {
    notes.push({
      ...{ rule: effect?.rule ?? "", loss: loss === "error" && options.leaveDenies ? "weaker" : loss, message },
      ...(effect === undefined ? {} : { behavior: effect.behavior }),
    });
  };
  const wanted = (["allow", "ask", "deny"] as const).flatMap((behavior) =>
    rules[behavior].flatMap((rule) => read(rule, behavior, note)),
  );
  const guards = baseline(wanted.filter(({ behavior }) => behavior === "allow"));
  const restrictions = [...wanted.filter(({ behavior }) => behavior !== "allow"), ...guards];
  const kept: Effect[] = [];
  for (const effect of wanted) {
    const looser = effect.behavior === "allow" ? await looserAs(effect, target, restrictions, decide) : undefined;
    if (looser === undefined) kept.push(effect);
    else
      note("stricter", effect, `Left out, so it asks: it would also allow \`${looser}\` there, which Haft does not.`);
  }
  const text = target.write([...kept, ...guards], note);
  notes.push({ rule: "", loss: "weaker", message: GENERAL });
  return { ...(notes.some(({ loss }) => loss === "error") ? {} : { text }), notes };
}

const GENERAL =
  "Names alone decide there. A denied command in another spelling (quotes inside a word, `echo rm | xargs`), and a script that does what a rule denies, ask there; `haft hook` decides by effects.";

function read(rule: string, behavior: Behavior, note: Notes): Effect[] {
  const effect = readEffect(rule, behavior);
  if (!("problem" in effect)) return [effect];
  const { message, cure } = effect.problem;
  note(
    behavior === "allow" ? "stricter" : "error",
    { rule, behavior, matter: { kind: "other" } },
    `${message} ${cure}`,
  );
  return [];
}

/** A command that the allow would let pass there and Haft would not, if there is one. */
async function looserAs(effect: Effect, target: Target, restrictions: readonly Effect[], decide: Decide) {
  const { matter } = effect;
  const isEveryCommand =
    (matter.kind === "tool" && matter.name === "Bash") || (matter.kind === "command" && matter.pattern.startsWith("*"));
  return isEveryCommand ? "rm -rf ." : looserCommand(effect, target, restrictions, decide);
}
