import { basename, type Effect, type RunEffect } from "../../tool/index.ts";
import type { Behavior, RuleRef, TraceStep } from "../decision.ts";
import { programName } from "../rule/command-forms.ts";
import type { MatchContext } from "../rule/match-effect.ts";
import type { RuleIndex } from "../rule/rule-index.ts";
import { startsOthers } from "../suggest/runners.ts";
import { nameRule } from "./findings.ts";
import { couldBecome, isOpenWord } from "./open-words.ts";
import { phrase } from "./wording.ts";

/**
 * Asks where a call may start what a rule for commands means and nothing proves it: a program that runs what it is given is given
 * just these words (`npx rm x`, `perl -e 'system("rm x")'`, `echo rm x | sh`), or what runs is known only in the run
 * (`$X a`, `git $X`, a shell that reads its script from somewhere). What a program does by itself (`make`, `./x.sh`) is not looked for:
 * it would make a question of everything that a person has allowed.
 */
export function startedSteps(
  { commands }: RuleIndex,
  behavior: Exclude<Behavior, "allow">,
  effects: readonly Effect[],
  { identity, ignoresCase }: MatchContext,
): TraceStep[] {
  const { first } = commands;
  // Most calls start nothing of the kind, and this is asked of each.
  if (first === undefined || !effects.some(isDoubtful)) return [];
  const meant = (words: readonly string[]): readonly RuleRef[] =>
    words.flatMap((word, start) => {
      const form = [programName(word, ignoresCase), ...words.slice(start + 1)].join(" ");
      return commands.near(form).flatMap(({ pattern, ref }) => (pattern.matches(form) ? [ref] : []));
    });
  const doubt = { step: behavior, outcome: "ask" } as const;
  const becoming = (effect: RunEffect): readonly RuleRef[] => {
    const [program = "", ...words] = effect.wrappers?.some(addsWords) ? [...effect.argv, UNKNOWN_WORD] : effect.argv;
    if (!words.some(isOpenWord)) return [];
    const argv = [programName(program, ignoresCase), ...words];
    return commands.startingWith(argv[0]!).flatMap(({ pattern, ref }) => (couldBecome(pattern, argv) ? [ref] : []));
  };
  return effects.flatMap((effect, index): TraceStep[] => {
    // Whichever rule that would be: one is told as an example.
    const unseen = (what: string): TraceStep => ({ ...doubt, effect: index, note: note(what, first.ref) });
    if (effect.do === "unknown")
      return isShell(identity.name) && (effect.anyProgram || isUnseen(effects)) ? [unseen(effect.why)] : [];
    if (effect.do !== "run" || effect.opaque !== true) return [];
    const what = `${phrase(effect).replace("running", "Running")} starts what it is given.`;
    if (takesScript(effect)) return effects.slice(0, index).some(feeds) ? [unseen(what)] : [];
    if (takesOpenScript(effect)) return [unseen(what)];
    const open = becoming(effect);
    if (open.length > 0) {
      const how = `${phrase(effect).replace("running", "What")} runs is put together in the run.`;
      return open.map((rule) => ({ ...doubt, effect: index, rule, note: note(how, rule) }));
    }
    if (!startsOthers(effect.argv) && !takesPrograms(effect)) return [];
    const rules = new Set(linesIn(effect).flatMap(meant));
    return [...rules].map((rule) => ({ ...doubt, effect: index, rule, note: note(what, rule) }));
  });
}

const isDoubtful = (effect: Effect): boolean =>
  effect.do === "unknown" || (effect.do === "run" && effect.opaque === true);

const note = (what: string, rule: RuleRef): string =>
  `${what} It could run what the rule ${nameRule(rule)} ${rule.behavior === "deny" ? "forbids" : "asks about"}.`;

const isShell = (tool: string): boolean => tool === "Bash" || tool === "PowerShell";

/** What cannot be followed shows its commands all the same, unless they are put together in the run. */
function isUnseen(effects: readonly Effect[]): boolean {
  const seen = effects.filter((effect) => effect.do === "run").filter(({ opaque }) => opaque === true);
  return seen.length === 0 || seen.some(isOpen);
}

const isOpen = ({ argv: [program = "", ...words] }: RunEffect): boolean =>
  /[$`*?[]/.test(program) || (/^(?:eval|trap|source|\.)$/.test(program) && words.some((word) => /[$`]/.test(word)));

/** What comes before a shell may be what it reads. A shell by itself reads what is judged as it is typed, or nothing. */
const feeds = (effect: Effect): boolean => effect.do === "read" || (effect.do === "run" && !takesScript(effect));

/** A shell without a script among its words reads one, from a pipe or a file. */
const takesScript = ({ argv: [program = "", ...words] }: RunEffect): boolean =>
  SHELL.test(basename(program)) && words.every((word) => /^[-+]/.test(word));

/** A shell whose script is put together in the run: `sh -c "$X"`. */
function takesOpenScript({ argv: [program = "", ...words] }: RunEffect): boolean {
  const script = words[words.findIndex((word) => /^-\w*c$/.test(word)) + 1];
  return SHELL.test(basename(program)) && words[0]?.startsWith("-") === true && isOpenWord(script ?? "");
}

const SHELL = /^(?:ba|da|a|z|k|mk|fi|tc|c)?sh$/;

/** Programs that put words behind those of the command which they start. */
const addsWords = (wrapper: string): boolean => /^(?:xargs|parallel)$/.test(basename(wrapper));

const UNKNOWN_WORD = "…";

/** What git may be told to start: an alias, a pager, a transport. */
const takesPrograms = ({ argv: [program = "", ...words] }: RunEffect): boolean =>
  basename(program) === "git" &&
  words.some((word) => /^-(?:c$|-config-env|-exec|-upload-pack|-receive-pack|-extcmd)/.test(word));

/** More words are not looked through. A call that names so many is asked about by its rules as ever. */
const MOST_WORDS = 200;

/** The words that follow a program, and the lines that seem to stand in each of them. */
function linesIn({ argv }: RunEffect): readonly (readonly string[])[] {
  const words = argv.slice(1, MOST_WORDS);
  const lines = words
    .filter((word) => /[^\w./-]/.test(word))
    .flatMap((word) => word.slice(0, MOST_WORDS * 10).split(/[\n;&|(){}`"'!=,[\]]+/))
    .map((line) => line.split(/\s+/).filter((word) => word !== ""));
  return [words, ...lines.slice(0, MOST_WORDS)];
}
