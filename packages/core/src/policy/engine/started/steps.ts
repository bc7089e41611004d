import type { Effect } from "../../../tool/index.ts";
import type { Behavior, RuleRef, TraceStep } from "../../decision.ts";
import { programName } from "../../pattern/command-forms.ts";
import type { MatchContext } from "../../rule/match-effect.ts";
import type { RuleIndex } from "../../rule/rule-index.ts";
import { nameRule } from "../findings.ts";
import { phrase } from "../wording.ts";
import { linesGivenTo } from "./lines.ts";
import { couldBeMeant } from "./open-words.ts";
import { feeds, isOpen, readsScript, takesUnseenScript } from "./scripts.ts";

/**
 * Asks when a call may start something that a rule for commands means, without proof. Either a program that runs its
 * arguments gets exactly these words (`npx rm x`, `perl -e 'system("rm x")'`, `echo rm x | sh`). Or the command is
 * known only at run time (`$X a`, `git $X`, a shell that reads its script from somewhere). A program's own actions
 * (`make`, `./x.sh`) are not searched: that would ask about everything that a person has allowed.
 */
export function startedSteps(
  { commands }: RuleIndex,
  behavior: Exclude<Behavior, "allow">,
  effects: readonly Effect[],
  { ignoresCase }: MatchContext,
): TraceStep[] {
  const { first } = commands;
  // Most calls start nothing of the kind, and this runs for each of them.
  if (first === undefined || !effects.some(isDoubtful)) return [];
  const meant = (words: readonly string[]): readonly RuleRef[] =>
    words.flatMap((word, start) => {
      const form = [programName(word, ignoresCase), ...words.slice(start + 1)].join(" ");
      return commands.near(form).flatMap(({ pattern, ref }) => (pattern.matches(form) ? [ref] : []));
    });
  const doubt = { step: behavior, outcome: "ask" } as const;
  return effects.flatMap((effect, index): TraceStep[] => {
    // It could be any of these rules; one is named as an example.
    const unseen = (what: string): TraceStep => ({ ...doubt, effect: index, note: note(what, first.ref) });
    if (effect.do === "unknown") return !effect.commandsShown || effects.some(isOpen) ? [unseen(effect.why)] : [];
    if (effect.do !== "run" || effect.opaque !== true) return [];
    const what = `${phrase(effect).replace("running", "Running")} starts its arguments as a command.`;
    if (readsScript(effect)) return effects.slice(0, index).some(feeds) ? [unseen(what)] : [];
    if (takesUnseenScript(effect)) return [unseen(what)];
    const open = couldBeMeant(effect, commands, ignoresCase);
    if (open.length > 0) {
      const how = `${phrase(effect).replace("running", "What")} runs is put together in the run.`;
      return open.map((rule) => ({ ...doubt, effect: index, rule, note: note(how, rule) }));
    }
    const rules = new Set(linesGivenTo(effect).flatMap(meant));
    return [...rules].map((rule) => ({ ...doubt, effect: index, rule, note: note(what, rule) }));
  });
}

const isDoubtful = (effect: Effect): boolean =>
  effect.do === "unknown" || (effect.do === "run" && effect.opaque === true);

const note = (what: string, rule: RuleRef): string =>
  `${what} It could run something that the rule ${nameRule(rule)} ${rule.behavior === "deny" ? "forbids" : "asks about"}.`;
