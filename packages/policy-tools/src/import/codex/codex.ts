import type { Behavior } from "@haft/core/policy";
import { createDraft, type Draft, unreadable } from "../draft.ts";
import type { Imported, Importer, Place } from "../imported.ts";
import { type Literal, NotLiteral, parseCalls, type StarlarkCall } from "./starlark.ts";

/**
 * Codex's execution rules (`*.rules`, Starlark). There as here, the strictest of all matching prefixes and of all commands
 * of a script counts. `match` and `not_match` are checked, as in Codex, and kept as tests.
 */
export const importCodex: Importer = (text) => {
  try {
    return importCalls(parseCalls(text));
  } catch (thrown) {
    if (!(thrown instanceof NotLiteral)) throw thrown;
    if (CONFIGURATION.test(text))
      return unreadable(
        "This is Codex's configuration. Its rules are next to it, in rules/*.rules: import those files.",
        1,
      );
    return unreadable(`${thrown.message} Only calls with literal arguments can be imported.`, thrown.line);
  }
};

/** A TOML section, or a key that exists only in the configuration. */
const CONFIGURATION = /^\s*(?:\[+[\w."/ -]+\]+\s*(?:#.*)?|(?:approval_policy|sandbox_mode|model)\s*=.*)$/m;

function importCalls(calls: readonly StarlarkCall[]): Imported {
  const draft = createDraft();
  for (const call of calls) {
    if (call.name === "prefix_rule") takePrefix(draft, call);
    else if (call.name === "network_rule") takeNetwork(draft, call);
    else if (call.name === "host_executable")
      draft.note("notice", placeOf(call), "Left out: a deny matches a program at any path, an allow only as written.");
    else draft.note("error", placeOf(call), `"${call.name}" is unknown, so its restriction is unknown too.`);
  }
  return draft.finish();
}

const DECISIONS: Readonly<Record<string, Behavior>> = {
  allow: "allow",
  prompt: "ask",
  forbidden: "deny",
  deny: "deny",
};

/** No person writes a rule with more variants than this. */
const MOST_VARIANTS = 256;

function takePrefix(draft: Draft, call: StarlarkCall): void {
  const place = placeOf(call);
  const { pattern, decision = "allow", justification, match = [], not_match = [] } = call.arguments;
  const behavior = typeof decision === "string" && Object.hasOwn(DECISIONS, decision) ? DECISIONS[decision] : undefined;
  const positions = positionsOf(pattern);
  const examples = [argvsOf(match), argvsOf(not_match)];
  if (behavior === undefined || positions === undefined || examples.some((list) => list === undefined)) {
    draft.note("error", place, "A prefix_rule needs a pattern of texts, a decision, and examples that are commands.");
    return;
  }
  const unknown = Object.keys(call.arguments).find((key) => !KNOWN_ARGUMENTS.has(key));
  if (unknown !== undefined) draft.note("error", place, `The argument "${unknown}" is not known.`);
  const [hits = [], misses = []] = examples;
  const wrong = hits.find((argv) => !startsWith(positions, argv)) ?? misses.find((argv) => startsWith(positions, argv));
  if (wrong) draft.note("error", place, `The rule fails its own example "${wrong.join(" ")}". Codex refuses it too.`);
  if (typeof justification === "string") draft.note("notice", place, `The justification is dropped: ${justification}`);

  const variants = positions.reduce((count, tokens) => count * tokens.length, 1);
  if (variants > MOST_VARIANTS) {
    draft.note(
      behavior === "allow" ? "warning" : "error",
      place,
      `It stands for ${variants} prefixes, more than ${MOST_VARIANTS}.`,
    );
    return;
  }
  for (const words of combinations(positions)) takeWords(draft, behavior, words, place, hits, misses);
}

const KNOWN_ARGUMENTS: ReadonlySet<string> = new Set(["pattern", "decision", "justification", "match", "not_match"]);

/** One prefix of plain words. If a pattern cannot contain a word, a deny or ask ends before it, and an allow is dropped. */
function takeWords(
  draft: Draft,
  behavior: Behavior,
  words: readonly string[],
  place: Place,
  hits: readonly (readonly string[])[],
  misses: readonly (readonly string[])[],
): void {
  const odd = words.findIndex((word) => !isPlain(word));
  if (odd >= 0 && (behavior === "allow" || odd === 0)) {
    const refused = `"${words[odd]}" is not allowed in a command pattern.`;
    if (behavior === "allow") draft.note("warning", place, `Left out, so it asks: ${refused}`);
    else draft.note("error", place, `${refused} Without it more would be allowed.`);
    return;
  }
  const plain = odd < 0 ? words : words.slice(0, odd);
  if (odd > 0)
    draft.note(
      "warning",
      place,
      `Made stricter: "${words[odd]}" is not allowed in a pattern, so the pattern ends before it.`,
    );
  const rule = `Bash(${plain.map((word) => word.replaceAll("*", "\\*")).join(" ")} *)`;
  draft.rule(behavior, rule, place);
  const prefix = words.map((word) => [word]);
  const match = hits.filter((argv) => startsWith(prefix, argv)).map(shellLine);
  const not_match = odd < 0 ? misses.map(shellLine) : [];
  if (match.length + not_match.length > 0) draft.test({ rule, as: behavior, match, not_match });
}

function takeNetwork(draft: Draft, call: StarlarkCall): void {
  const place = placeOf(call);
  const { host, decision = "allow" } = call.arguments;
  const behavior = typeof decision === "string" ? DECISIONS[decision] : undefined;
  if (typeof host !== "string" || behavior === undefined)
    draft.note("error", place, "A network_rule needs a host and a decision.");
  else if (behavior === "allow")
    draft.note(
      "warning",
      place,
      "Left out, so it asks: it holds for one protocol of commands, connect(host) for every tool.",
    );
  else draft.rule(behavior, `connect(${host})`, place);
}

/** The alternatives for each position. */
function positionsOf(pattern: Literal | undefined): string[][] | undefined {
  if (!Array.isArray(pattern) || pattern.length === 0) return undefined;
  const positions = pattern.map((item: Literal) => (Array.isArray(item) ? item : [item]) as readonly Literal[]);
  const isSound = positions.every((tokens) => tokens.length > 0 && tokens.every((token) => typeof token === "string"));
  return isSound ? (positions as string[][]) : undefined;
}

/** Reads examples: lists of words, or one text that is split as a shell would. */
function argvsOf(examples: Literal): readonly (readonly string[])[] | undefined {
  if (!Array.isArray(examples)) return undefined;
  const argvs = examples.map((example: Literal) => {
    if (typeof example === "string") return splitWords(example);
    return Array.isArray(example) && example.every((word) => typeof word === "string")
      ? (example as string[])
      : undefined;
  });
  return argvs.some((argv) => argv === undefined) ? undefined : (argvs as string[][]);
}

function splitWords(line: string): string[] | undefined {
  const words: string[] = [];
  for (const [, word = ""] of line.matchAll(/((?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+)/g))
    words.push(
      word.replaceAll(
        /\\(.)|'([^']*)'|"((?:[^"\\]|\\.)*)"/g,
        (_, escaped, single, double) => escaped ?? single ?? String(double).replaceAll(/\\(["\\$`])/g, "$1"),
      ),
    );
  return words.length === 0 ? undefined : words;
}

const startsWith = (positions: readonly (readonly string[])[], argv: readonly string[]): boolean =>
  argv.length >= positions.length && positions.every((tokens, index) => tokens.includes(argv[index] ?? ""));

const combinations = (positions: readonly (readonly string[])[]): string[][] =>
  positions.reduce<string[][]>((all, tokens) => all.flatMap((words) => tokens.map((token) => [...words, token])), [[]]);

const isPlain = (word: string): boolean => /^[^\s'"\\`$|&;<>()\p{Cc}]+$/u.test(word);

const shellLine = (argv: readonly string[]): string =>
  argv.map((word) => (/^[\w@%+=:,./~^{}-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");

function placeOf({ name, line, arguments: given }: StarlarkCall): Place {
  const { pattern, host } = given;
  const shown = pattern ?? host;
  return { from: shown === undefined ? name : `${name} ${JSON.stringify(shown)}`, line };
}
