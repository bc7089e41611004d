import { basename, type Effect, type RunEffect } from "../../tool/index.ts";
import type { Behavior, RuleRef, TraceStep } from "../decision.ts";
import { pastOptions, programName } from "../rule/command-forms.ts";
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
    const [program = "", ...words] = effect.wrappers?.some(addsWords) ? withAdded(effect.argv) : effect.argv;
    if (!words.some(isOpenWord)) return [];
    const argv = [programName(program, ignoresCase), ...words];
    const past = pastOptions({ ...effect, argv }, ignoresCase).filter((left) => !isOpenValue(argv, left));
    return commands
      .startingWith(argv[0]!)
      .flatMap(({ pattern, ref }) =>
        couldBecome(pattern, argv) || (!pattern.isExact && past.some((left) => couldBecome(pattern, left)))
          ? [ref]
          : [],
      );
  };
  return effects.flatMap((effect, index): TraceStep[] => {
    // Whichever rule that would be: one is told as an example.
    const unseen = (what: string): TraceStep => ({ ...doubt, effect: index, note: note(what, first.ref) });
    if (effect.do === "unknown")
      return isShell(identity.name) && (effect.anyProgram || isUnseen(effects)) ? [unseen(effect.why)] : [];
    if (effect.do !== "run" || effect.opaque !== true) return [];
    const what = `${phrase(effect).replace("running", "Running")} starts what it is given.`;
    if (takesScript(effect)) return effects.slice(0, index).some(feeds) ? [unseen(what)] : [];
    if (takesOpenScript(effect) || takesStream(effect)) return [unseen(what)];
    const open = becoming(effect);
    if (open.length > 0) {
      const how = `${phrase(effect).replace("running", "What")} runs is put together in the run.`;
      return open.map((rule) => ({ ...doubt, effect: index, rule, note: note(how, rule) }));
    }
    const isStarter = startsOthers(effect.argv) || takesPrograms(effect);
    const lines = [...assignedLines(effect), ...aliasLines(effect), ...(isStarter ? linesIn(effect) : [])];
    if (lines.length === 0) return [];
    const rules = new Set(lines.flatMap(meant));
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

/** `source <(x)`, `. /dev/stdin`: a script that no file holds. */
const takesStream = ({ argv: [program = "", ...words] }: RunEffect): boolean =>
  (SHELL.test(basename(program)) || /^(?:source|\.)$/.test(program)) &&
  words.some((word) => /^(?:\/dev\/(?:fd\/|stdin$)|\/proc\/\w+\/fd\/|<\()/.test(word));

const SHELL = /^(?:ba|da|a|z|k|mk|fi|tc|c)?sh$/;

/** Programs that put words behind those of the command which they start. */
const addsWords = (wrapper: string): boolean => /^(?:xargs|parallel)$/.test(basename(wrapper));

const UNKNOWN_WORD = "…";

/** What they are given behind `:::` comes one word at a time. */
function withAdded(argv: readonly string[]): readonly string[] {
  const end = argv.findIndex((word) => /^::::?\+?$/.test(word));
  return [...(end < 0 ? argv : argv.slice(0, end)), UNKNOWN_WORD];
}

/** Behind a short option what is not known is its value, where there are further words: `git -C "$folder" log`. */
const isOpenValue = (argv: readonly string[], left: readonly string[]): boolean =>
  left.length > 2 && isOpenWord(left[1]!) && /^-\w$/.test(argv.at(-left.length) ?? "");

/** What git may be told to start: an alias, a pager, a transport. */
const takesPrograms = ({ argv: [program = "", ...words] }: RunEffect): boolean =>
  basename(program) === "git" &&
  words.some((word) => /^(?:config$|-(?:c$|-config-env|-exec|-upload-pack|-receive-pack|-extcmd))/.test(word));

/** What git does under another name: `git -c alias.p=push p`, `git config alias.p push`, or the same in its variables. */
function aliasLines({ argv: [program = "", ...words], assigns = [] }: RunEffect): readonly (readonly string[])[] {
  if (basename(program) !== "git") return [];
  const meant = words.flatMap((word, index) => {
    const [isAlias, said = words[index + 1] ?? ""] = /^alias\.[^=]*(?:=(.*))?$/is.exec(word) ?? [];
    return isAlias === undefined ? [] : [wordsIn(said)];
  });
  const set = assigns.filter((one) => one.startsWith("GIT_CONFIG_")).flatMap(linesOf);
  return [...meant, ...set].map((line) => ["git", ...line.slice(line.findIndex(isNoOption))]);
}

const isNoOption = (word: string, index: number, words: readonly string[]): boolean =>
  !word.startsWith("-") && !/^-[cC]$/.test(words[index - 1] ?? "");

/** What variables of the environment or of a build say, which programs start: `PAGER='less x' git log`, `make CC=tcc`. */
const assignedLines = ({ argv, assigns = [] }: RunEffect): readonly (readonly string[])[] =>
  [...assigns, ...argv.filter((word, index) => index < MOST_WORDS && /^[A-Z_][A-Z\d_]*\+?=/.test(word))].flatMap(
    (word) => linesOf(word.slice(word.indexOf("=") + 1)),
  );

/** More words are not looked through. A call that names so many is asked about by its rules as ever. */
const MOST_WORDS = 200;

/** The words that follow a program, and the lines that seem to stand in each of them. */
function linesIn({ argv }: RunEffect): readonly (readonly string[])[] {
  const words = argv.slice(1, MOST_WORDS);
  const lines = words.filter((word) => /[^\w./-]/.test(word)).flatMap(linesOf);
  return [words, ...lines.slice(0, MOST_WORDS)];
}

/** The lines that seem to stand in a text. */
const linesOf = (text: string): readonly (readonly string[])[] =>
  text
    .slice(0, MOST_WORDS * 10)
    .split(/[\n;&|(){}`"'!=,[\]]+/)
    .map(wordsIn);

const wordsIn = (line: string): readonly string[] => line.split(/\s+/).filter((word) => word !== "");
