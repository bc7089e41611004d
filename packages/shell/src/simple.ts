import type { Effect, RunEffect } from "@haft/core/tool";
import type { Assignment, Command, Word, WordPart } from "unbash";
import { assign, keep } from "./assignment/assign.ts";
import { addListed } from "./assignment/wildcard.ts";
import { type Argument, isBuiltin, runBuiltin } from "./builtin.ts";
import { isDecisive, isDecisiveFor } from "./environment.ts";
import { dropsWord } from "./parse.ts";
import { type Judgement, opaque, withAll } from "./reader/grammar.ts";
import { keepsEndless, NEVER_ENDS } from "./reader/names/endless.ts";
import { feedXargs, foundFrom } from "./reader/names/listing.ts";
import { printedBy, printsFolder, printsToplevel } from "./reader/names/printed.ts";
import { judgeProgram } from "./reader/program.ts";
import { fedBy, isFeeding, isForErrors, isInput, otherInput, walkRedirects } from "./redirect.ts";
import { joinScopes, type Scope, withTaint } from "./scope.ts";
import type { Session } from "./session.ts";
import { expandWord } from "./word/expand.ts";
import { concat, isOneWord, isRevision, only, type Revision, text, type Value } from "./word/value.ts";
import { loosen } from "./word/variable.ts";
import { innerScript, unwrap } from "./wrapper.ts";
import { echoWords } from "./writer/echo-words.ts";
import { changesOf } from "./writer/program.ts";

/** The states after a command succeeded (`ok`) and after it failed (`bad`). Absent: the script does not get there. */
export interface Outcome {
  readonly ok: Scope | undefined;
  readonly bad: Scope | undefined;
}

/** Operations that only the walker of the tree has. */
interface Caller {
  call(name: string, args: readonly Value[], scope: Scope): Outcome;
  script(source: string, args: readonly Value[], scope: Scope, started: Started): void;
}

/** How a command is started: the wrappers and assignments that were removed in front of it. */
export interface Started {
  readonly wrappers: readonly string[];
  readonly assigns: readonly string[];
  /** The starter: the shell (functions, then builtins), `builtin` and `command` (builtins), or a program. */
  readonly by: "shell" | "builtin" | "program";
  /** Why it cannot be proved, whichever command it is. */
  readonly why?: string | undefined;
}

/** After the word `time`. */
export const timed = (started: Started): Started => ({ ...started, wrappers: [...started.wrappers, "time"] });

interface Shown extends Argument {
  readonly shown: string;
  /** The word as written, if expansions decide its value, and any words after it that became empty. */
  readonly open?: readonly string[];
  /** `xargs` adds it: it is judged, although nobody wrote it. */
  readonly added?: true;
}

export const both = (scope: Scope): Outcome => ({ ok: scope, bad: scope });

/** A redirection or assignment that fails stops its command from running, even an `exit`. The script then continues as before. */
export const orSkipped = ({ ok, bad }: Outcome, scope: Scope): Outcome => ({ ok, bad: joinScopes(bad, scope) });

/** A simple command: its assignments, words, redirections and effects. */
export function walkCommand(command: Command, scope: Scope, session: Session, caller: Caller, outer: Started): Outcome {
  session.step();
  const parts = command.name === undefined ? command.prefix : [...command.prefix, command.name, ...command.suffix];
  if (dropsWord(scope.source, parts)) session.unknown("A part of a command could not be read.");
  const assignments = command.prefix.filter((one) => one.type === "Assignment");
  const set: { readonly name: string; readonly value: Value }[] = [];
  // Each assignment sees the ones before it, and a redirection may see them too.
  let after = scope;
  for (const assignment of assignments) {
    const one = assign(assignment, after, session);
    after = keep(after, one.name, one.value);
    set.push(one);
  }
  walkRedirects(command.redirects, joinScopes(scope, after) ?? scope, session);
  // The words may contain other redirections.
  const fed = fedBy(command.redirects, session);
  if (command.name === undefined) {
    for (const [index, { name, value }] of set.entries())
      if (isDecisive(name, only(value))) tellAssignment(assignments[index]!, value, after, session, outer);
    session.prints = fed;
    return both(after);
  }
  const words: Shown[] = [];
  for (const word of [command.name, ...command.args]) {
    const more = argumentsOf(word, scope, session);
    const last = more.length === 0 ? words.pop() : undefined;
    words.push(...(last ? [{ ...last, open: [...(last.open ?? [last.shown]), word.text] }] : more));
  }
  // Its value may be known, and rules then see it. But people build a name that way only to hide it.
  if (!isPlainName(command.name))
    session.unknown(
      "The script builds the name of a command at run time.",
      changed(scope, session) === undefined ? undefined : ANY,
    );
  const assigns = [...outer.assigns, ...assignments.map((one) => one.text)];
  const written = [
    ...assignments.map((one) => one.text),
    ...[command.name, ...command.args].map((word) => word.text),
  ].join(" ");
  const name = only(words[0]?.value) ?? "";
  const decisive = set.find(
    (one) => isDecisiveFor(one.name, only(one.value)) && !(name === "read" && one.name === "IFS"),
  );
  const why = outer.why ?? (decisive === undefined ? undefined : `${decisive.name} decides what commands do.`);
  if (scope.functions.has(name) || KEEPING.has(name)) {
    // A function sees these assignments and may keep them. So do builtins for variables, and in `sh` every special builtin.
    for (const one of set) loosen(one.name, one.value, session);
  }
  session.prints = undefined;
  const back = otherInput(command.redirects, session, fed);
  // Of `..x`, `IFS=x read` keeps `..`.
  const whole = session.otherInput(set.some((one) => one.name === "IFS" && only(one.value) !== ""));
  const before = session.effects.length;
  const outcome = start(words, written, scope, session, caller, { ...outer, assigns, why });
  if (!command.redirects.every((one) => isForErrors(one) || isInput(one))) session.prints = undefined;
  whole();
  // After `exec < file` the shell itself has another input.
  back(words.some(({ value }) => only(value) === "exec"));
  const values = words.map(({ value }) => value);
  addListed(values, scope, session, session.effects.slice(before), written);
  // The output of a substitution can always be read.
  return command.redirects.every(isFeeding) && assignments.length === 0 ? outcome : orSkipped(outcome, scope);
}

/** An assignment that decides what later commands do is recorded as a command: a rule that allows those does not allow it. */
function tellAssignment({ text: written }: Assignment, value: Value, scope: Scope, session: Session, how: Started) {
  record([{ value, shown: written }], written, scope, session, how, { effects: [] });
}

/** Builtins after which an assignment in front of them may stay. */
const KEEPING: ReadonlySet<string> = new Set(
  ". : break builtin command continue declare eval exec exit export local readonly return set shift source times trap typeset unset".split(
    " ",
  ),
);

/** Why the predicted values may be wrong. */
const changed = (scope: Scope, session: Session): string | undefined => scope.tainted ?? session.tainted;

const ANY = { commandsShown: false } as const;

const isPlainName = (word: Word): boolean =>
  (word.parts ?? []).every(
    (part) =>
      part.type === "Literal" ||
      part.type === "SingleQuoted" ||
      (part.type === "DoubleQuoted" && part.parts.every(({ type }) => type === "Literal")),
  );

/** Starts the command in these words, after removing wrappers one by one. */
function start(
  words: readonly Shown[],
  written: string,
  scope: Scope,
  session: Session,
  caller: Caller,
  how: Started,
): Outcome {
  const name = only(words[0]?.value);
  if (name === undefined || words.length === 0) {
    session.unknown("The name of a command is not known before the run.", ANY);
    return both(withTaint(scope, "A command whose name is not known may be a builtin."));
  }
  if (name.startsWith("-") && how.wrappers.at(-1) === "time") {
    // bash looks for a program of this name. To `sh` it is an option of the program `time`.
    const time = { value: text("time"), shown: "time" };
    const why = how.why ?? "time is a program to some shells.";
    return start([time, ...words], written, scope, session, caller, {
      ...how,
      wrappers: how.wrappers.slice(0, -1),
      why,
    });
  }
  const args = words.slice(1);
  const values = args.map(({ value }) => value);
  if (how.by === "shell") {
    const body = scope.functions.get(name);
    if (body === "unclear") {
      session.unknown(`It is not known what ${name} means at this point.`);
      return both(withTaint(scope, `${name} may be a function.`));
    }
    if (body !== undefined) return caller.call(name, values, how.why === undefined ? scope : withTaint(scope, how.why));
  }
  const program = /^(?:\/usr)?\/bin\/([^/]+)$/.exec(name)?.[1] ?? name;
  if (program === "command" && isLookup(values)) return finish(words, written, scope, session, how);

  const inner = innerScript(program, values);
  if (inner !== undefined) {
    addChanges(program, values, written, scope, session);
    const why = how.why ?? inner.why ?? changed(scope, session);
    const before = session.effects.length;
    session.deeper(() =>
      caller.script(inner.script, inner.args, scope, {
        wrappers: [...how.wrappers, program],
        assigns: how.assigns,
        by: "shell",
        why,
      }),
    );
    // Text that is not a command in bash, like `[[ a > b ]]`, may be one in the other shell.
    const isSaid = session.effects.slice(before).some((one) => one.do === "run" && one.opaque);
    if (why !== undefined && (inner.isOther || !isSaid)) session.unknown(why);
    return both(scope);
  }
  const fed = program === "xargs" ? feedXargs(values, session.piped) : undefined;
  const wrapped = fed === undefined ? unwrap(program, values) : { name, command: fed, assigns: [], why: undefined };
  if (wrapped !== undefined && wrapped.command.length > 0)
    return startWrapped(wrapped, fed !== undefined, { words, written, program, name }, scope, session, caller, how);
  if (wrapped?.isGuess && values.some((value) => only(value) === undefined))
    session.unknown("The name of a command is not known before the run.", ANY);
  if (wrapped !== undefined && program === "exec" && wrapped.why === undefined) return both(scope);
  if (wrapped !== undefined && program === "env" && wrapped.why === undefined) {
    return finish(words, written, scope, session, how);
  }
  if (how.by !== "program" && isBuiltin(name, values)) {
    const result = runBuiltin(name, args, scope, session);
    if (result.unknown !== undefined) session.unknown(result.unknown);
    record(words, written, scope, session, how, result.judgement);
    return { ok: result.ok, bad: result.bad };
  }
  return runProgram(words, written, scope, session, caller, how);
}

/** Starts the command behind a wrapper. */
function startWrapped(
  wrapped: NonNullable<ReturnType<typeof unwrap>>,
  isFed: boolean,
  { words, written, program, name }: { words: readonly Shown[]; written: string; program: string; name: string },
  scope: Scope,
  session: Session,
  caller: Caller,
  how: Started,
): Outcome {
  const args = words.slice(1);
  addChanges(
    program,
    args.map(({ value }) => value),
    written,
    scope,
    session,
  );
  const rest = wrapped.command.map(
    (value) =>
      args.find((one) => one.value === value) ?? {
        value,
        shown: show(value),
        ...(isFed && !isOneWord(value) ? ADDED : {}),
      },
  );
  const decisive = wrapped.assigns.find((one) =>
    isDecisiveFor(one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)),
  );
  const next: Started = {
    wrappers: [...how.wrappers, program],
    assigns: [...how.assigns, ...wrapped.assigns],
    by: how.by !== "program" && /^(command|builtin)$/.test(name) ? "builtin" : "program",
    why: how.why ?? wrapped.why ?? (decisive === undefined ? undefined : `${decisive} decides what commands do.`),
  };
  if (wrapped.isGuess) record(words, written, scope, session, how, opaque(wrapped.why ?? ""));
  // After `exec` nothing runs unless it fails, so the rest is walked.
  return session.deeper(() => start(rest, written, scope, session, caller, next));
}

function runProgram(
  words: readonly Shown[],
  written: string,
  scope: Scope,
  session: Session,
  caller: Caller,
  how: Started,
): Outcome {
  const name = only(words[0]!.value)!;
  const at = standpoint(scope, session);
  const args = words.slice(1).map(({ value }) => value);
  const { judgement: judged, gitFolders, starts, fills, names, followed } = judgeProgram(name, args, at);
  const [lacking] = "why" in judged ? [] : session.unmet(judged.needs ?? []);
  const why = keepsEndless(name, args, session.piped) ? NEVER_ENDS : lacking?.why;
  const judgement = why === undefined || "why" in judged ? judged : opaque(why);
  const before = session.commands.at(-1);
  const bounded = session.knows("closedTree", followed ?? []) ? judgement : withAll(judgement);
  const isProved = record(words, written, scope, session, how, bounded);
  if (how.wrappers.at(-1) === "xargs") addChanges(name, [...args, ...echoWords(before)], written, scope, session);
  if (isProved) for (const folder of gitFolders ?? []) session.gitFolders.add(folder);
  for (const { argv, inPlace } of starts ?? []) {
    const inner = argv.map((value) => ({ value, shown: show(value) }));
    const why = how.why ?? changed(scope, session) ?? (inPlace ? undefined : "It runs in folders that are not known.");
    session.deeper(() =>
      start(inner, written, scope, session, caller, {
        ...how,
        wrappers: [...how.wrappers, "find"],
        by: "program",
        why,
      }),
    );
  }
  const top = () => (printsToplevel(name, args) ? session.toplevel(scope.folders) : undefined);
  // The builtin prints the folder as `$PWD` does. A program of this name, started by another, prints the resolved one.
  const here = () =>
    printsFolder(words.map(({ value }) => value)) && how.wrappers.length === 0 ? scope.folders : undefined;
  const printed = isProved ? (names ?? printedBy(name, args, session.piped) ?? top() ?? told(here())) : undefined;
  session.prints =
    isRevision(printed) && printed.dashed ? named(printed, scope, session) : foundFrom(printed, scope.folders);
  return both(fills === undefined ? scope : { ...scope, moved: [...new Set([...scope.moved, ...fills])] });
}

const told = (folders: readonly string[] | undefined): Value | undefined =>
  folders === undefined ? undefined : text(...folders);

const standpoint = ({ folders, moved }: Scope, { context }: Session) => ({
  ...{ folders, moved, start: context.cwd, home: context.home },
});

/** Adds the writes of a program itself, apart from those of a command that it starts or that another's output tells it to run. */
function addChanges(name: string, args: readonly Value[], written: string, scope: Scope, session: Session): void {
  session.add(...changesOf(name, args, standpoint(scope, session)).map((one) => ({ ...one, of: written })));
}

/** Names of branches and tags. A look at the repository can show that they are not options. */
function named(refs: Revision, scope: Scope, session: Session): Value {
  const { dashed: _, ...plain } = refs;
  return session.knows("plainRefs", scope.folders) ? plain : refs;
}

function finish(words: readonly Shown[], written: string, scope: Scope, session: Session, how: Started): Outcome {
  record(words, written, scope, session, how, { effects: [] });
  return both(scope);
}

/** Records the command with its judgement. Returns whether that is proved. */
function record(
  words: readonly Shown[],
  written: string,
  scope: Scope,
  session: Session,
  how: Started,
  judged: Judgement,
): boolean {
  const tainted = changed(scope, session);
  const why = how.why ?? tainted ?? ("why" in judged ? judged.why : undefined);
  const argv = words.flatMap(({ shown, added }) => (added ? [] : [shown]));
  const cwd = scope.folders?.[0] ?? session.context.cwd;
  const effects: readonly Effect[] = "why" in judged ? (judged.changes ?? []) : judged.effects;
  const run: RunEffect = {
    do: "run",
    basis: "proved",
    argv,
    text: written,
    cwd,
    ...(how.assigns.length > 0 ? { assigns: how.assigns } : {}),
    ...(how.wrappers.length > 0 ? { wrappers: how.wrappers } : {}),
    ...(why === undefined ? {} : { opaque: true }),
  };
  session.add(run);
  // After unknown changes to the shell, the predicted command is likely, but any other is possible.
  if (tainted !== undefined && words.some(({ open }) => open))
    session.add({ ...run, argv: words.flatMap(({ shown, added, open = added ? [] : [shown] }) => open) });
  // A rule that allows the command also allows the command's own effects, but not its redirections.
  session.add(...effects.map((one) => (one.do === "read" || one.do === "write" ? { ...one, of: written } : one)));
  const verdict = why !== undefined ? "opaque" : effects.some((effect) => effect.do === "write") ? "writes" : "reads";
  session.commands.push({
    argv,
    text: written,
    cwd,
    assigns: how.assigns,
    wrappers: how.wrappers,
    verdict,
    ...(why === undefined ? {} : { why }),
  });
  return why === undefined;
}

const ADDED = { added: true } as const;

/** `command -v name` only looks. */
const isLookup = (args: readonly Value[]): boolean => /^-[vV]$/.test(only(args[0]) ?? "");

function argumentsOf(word: Word | Assignment, scope: Scope, session: Session): Shown[] {
  if (word.type === "Assignment") {
    const { name, value } = assign(word, scope, session);
    const whole = concat(text(`${name}${word.append ? "+" : ""}=`), value);
    const assigns = { name, value, isList: word.value.type === "ArrayValue", isMore: word.append === true };
    return [{ value: whole, shown: only(whole) ?? word.text, assigns }];
  }
  const values = expandWord(word, scope, session);
  const isOpen = word.parts?.some(expands) === true;
  return values.map((value, index) => ({
    value,
    shown: only(value) ?? word.text,
    ...(isOpen ? { open: index === 0 ? [word.text] : [] } : {}),
  }));
}

const expands = (part: WordPart): boolean =>
  /Expansion$/.test(part.type) || (part.type === "DoubleQuoted" && part.parts.some(expands));

const show = (value: Value): string => only(value) ?? (value.kind === "name" ? "{}" : "…");
