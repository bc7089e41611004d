import { type Effect, type RunEffect, resolve } from "../../tool/index.ts";
import type { TraceStep } from "../decision.ts";
import type { RuleIndex } from "../rule/rule-index.ts";
import { startsOthers } from "../suggest/runners.ts";
import { nameRule } from "./findings.ts";
import { phrase } from "./wording.ts";

/**
 * Asks when an opaque command gets the name of a file that a rule closes to readers: `source .env`, `openssl enc -in
 * key.pem`, `curl -d @secrets/k`. It is unknown what the command does with the name, and nothing else would stop it.
 */
export function namedFileSteps(
  { paths, fold }: RuleIndex,
  behavior: "deny" | "ask",
  effects: readonly Effect[],
  home: string,
): TraceStep[] {
  if (paths.read.isEmpty) return [];
  return effects.flatMap((effect, index): TraceStep[] => {
    if (effect.do !== "run" || effect.opaque !== true) return [];
    // A command before `xargs` may produce the names that `xargs` passes on.
    const fed = effect.wrappers?.includes("xargs") ? effects.slice(0, index).filter((one) => one.do === "run") : [];
    for (const path of [effect, ...fed].flatMap((one) => pathsIn(one, home))) {
      const folded = fold.path(path);
      const closed = paths.read.near(folded).find(({ pattern }) => ["hit", "below"].includes(pattern.reach(folded)));
      if (closed === undefined) continue;
      const verb = behavior === "deny" ? "forbids" : "asks about";
      const what = `${phrase(effect).replace("running", "Running")} gets ${path}.`;
      const note = `${what} The rule ${nameRule(closed.ref)} ${verb} reading it.`;
      return [{ step: behavior, outcome: "ask", effect: index, rule: closed.ref, note }];
    }
    return [];
  });
}

/** Neither more words, nor more parts of a text, are searched. */
const MOST_WORDS = 200;
const MOST_TEXT = 4_000;

/**
 * Finds path-like parts among the words of a command, also in `--in=FILE`, `@FILE` and `FILE:/mount`. Searches a text
 * only where the program runs it (`node -e`, `awk`): to other programs it is a message.
 */
function pathsIn({ argv, cwd }: RunEffect, home: string): readonly string[] {
  const paths: string[] = [];
  const words = argv.slice(1, MOST_WORDS).filter((word) => NAMES_FILE.test(word));
  if (words.length === 0) return paths;
  const isRead = startsOthers(argv);
  for (const word of words) {
    if (IS_TEXT.test(word) && !isRead) continue;
    for (const piece of [...word.split(/[=:@,]/), ...(isRead ? piecesOf(word) : [])]) {
      if (!NAMES_FILE.test(piece) || !/\w/.test(piece)) continue;
      const path = /^["$~]/.test(piece) ? piece.replace(IN_CWD, cwd).replace(IN_HOME, home) : piece;
      paths.push(resolve(cwd, path));
    }
  }
  return paths;
}

/** Names in a program are in quotes, in brackets, or attached to a command of `sed`: `1r.env`. */
const piecesOf = (word: string): readonly string[] =>
  word
    .slice(0, MOST_TEXT)
    .replaceAll(/\$\{(\w+)\}/g, "$$$1")
    .replaceAll(/\w+:\/\/[^\s"'`]*/g, " ")
    .split(/[\s"'`()<>|;&=:@,{}[\]]+/)
    .flatMap((piece) => [piece, ...(/^[\d$!]*[rR](?=.*[/.])/.test(piece) ? [piece.replace(/^[\d$!]*[rR]/, "")] : [])]);

const NAMES_FILE = /[/.]/;
const IS_TEXT = /\s|:\/\//;
const IN_CWD = /^"?\$\{?PWD\}?(?=\/)/;
const IN_HOME = /^(?:~|"?\$\{?HOME\}?)(?=\/)/;
