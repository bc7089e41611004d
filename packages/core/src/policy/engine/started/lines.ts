import { basename, type RunEffect } from "../../../tool/index.ts";
import { startsOthers } from "../../suggest/runners.ts";

/** The lines that a program may start from its input: from its words, from variables that it reads, under another name. */
export const linesGivenTo = (effect: RunEffect): readonly (readonly string[])[] => [
  ...assignedLines(effect),
  ...aliasLines(effect),
  ...(startsOthers(effect.argv) || takesPrograms(effect) ? linesIn(effect) : []),
];

/** Programs that git can be told to start: an alias, a pager, a transport. */
const takesPrograms = ({ argv: [program = "", ...words] }: RunEffect): boolean =>
  basename(program) === "git" &&
  words.some((word) => /^(?:config$|-(?:c$|-config-env|-exec|-upload-pack|-receive-pack|-extcmd))/.test(word));

/** Git commands under another name: `git -c alias.p=push p`, `git config alias.p push`, or the same in its variables. */
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

/** Programs that variables of the environment or of a build name: `PAGER='less x' git log`, `make CC=tcc`. */
const assignedLines = ({ argv, assigns = [] }: RunEffect): readonly (readonly string[])[] =>
  [...assigns, ...argv.filter((word, index) => index < MOST_WORDS && /^[A-Z_][A-Z\d_]*\+?=/.test(word))].flatMap(
    (word) => linesOf(word.slice(word.indexOf("=") + 1)),
  );

/** No more words are searched. The usual rules ask about a call with so many. */
const MOST_WORDS = 200;

/** The words that follow a program, and the lines that each of them seems to contain. */
function linesIn({ argv }: RunEffect): readonly (readonly string[])[] {
  const words = argv.slice(1, MOST_WORDS);
  const lines = words.filter((word) => /[^\w./-]/.test(word)).flatMap(linesOf);
  return [words, ...lines.slice(0, MOST_WORDS)];
}

/** The lines that a text seems to contain. */
const linesOf = (text: string): readonly (readonly string[])[] =>
  text
    .slice(0, MOST_WORDS * 10)
    .split(/[\n;&|(){}`"'!=,[\]]+/)
    .map(wordsIn);

const wordsIn = (line: string): readonly string[] => line.split(/\s+/).filter((word) => word !== "");
