import type { Effect } from "@haft/core/tool";
import type { ParsedScript, Statement } from "unbash";
import type { PlaceQuestions, ShellContext, SimpleCommand } from "./analysis.ts";
import type { Scope } from "./scope.ts";
import { ANY_WORD, type Listed, text, type Value } from "./word/value.ts";

/** How many commands one analysis follows, loops and functions walked again included. */
const MAX_STEPS = 1_500;
/** How many words may come of expansions that give more than one: `set -- "$@" "$@"` doubles without end. */
const MAX_GROWN = 2_000;
/** How deep functions, substitutions and `sh -c` may be nested. */
const MAX_DEPTH = 12;

class Lacks {
  readonly toplevels = new Set<string>();
  readonly programs = new Set<string>();
  readonly databases = new Set<string>();
  readonly plainRefs = new Set<string>();
  readonly plainNames = new Set<string>();
  readonly wholeNames = new Set<string>();
  readonly wholeTrees = new Set<string>();
  readonly closedTrees = new Set<string>();
  readonly undirected = new Map<string, readonly [string, string]>();

  /** What to ask; nothing where everything is known that matters. */
  questions(): PlaceQuestions | undefined {
    const { toplevels, programs, databases, plainRefs, plainNames, wholeNames, wholeTrees, closedTrees, undirected } =
      this;
    const names = [plainNames, wholeNames, wholeTrees];
    const all = [toplevels, programs, databases, plainRefs, ...names, closedTrees, undirected];
    if (all.every(({ size }) => size === 0)) return undefined;
    return {
      toplevels: [...toplevels],
      programs: [...programs],
      databases: [...databases],
      plainRefs: [...plainRefs],
      plainNames: [...plainNames],
      wholeNames: [...wholeNames],
      wholeTrees: [...wholeTrees],
      closedTrees: [...closedTrees],
      undirected: [...undirected.values()],
    };
  }
}

/** Everything that one analysis gathers. */
export class Session {
  readonly context: ShellContext;
  readonly effects: Effect[] = [];
  readonly commands: SimpleCommand[] = [];
  readonly gitFolders = new Set<string>();
  /** What it would help to know: what was not looked at. */
  readonly lacks = new Lacks();
  /** Variables that an expansion changed on the way (`$((i++))`, `${x:=y}`), with what they may hold since then. */
  readonly loose = new Map<string, Value>();
  /** Walks a script in a subshell: its effects count, its changes of state do not. */
  readonly nested: (script: ParsedScript | undefined, scope: Scope) => void;
  /** What was known where `break`, `continue` or `return` left a loop or function. */
  readonly jumps: Scope[] = [];
  /** What was known where an expansion may fail: bash then leaves out the rest of the line, and goes on with the next one. */
  readonly broken: Scope[] = [];
  /** Variables that are constant from some point on: to assign to one fails likewise. */
  readonly constants = new Set<string>();
  /** Variables that the function that is being walked has for itself, with what they held before. Absent outside of functions. */
  locals: Map<string, Value> | undefined;
  /** How often something was learnt that concerns what was walked already. */
  changes = 0;
  /** Why nothing that follows can be proved, where an expansion brought it about. */
  tainted: string | undefined;
  /** What the command before in a pipeline gives to this one, and what this one prints, where that is known. */
  piped: Value | undefined;
  prints: Value | undefined;
  /** What the last process substitution prints. */
  substituted: Value | undefined;
  #steps = 0;
  #grown = 0;
  #depth = 0;

  constructor(context: ShellContext, walk: (session: Session, script: ParsedScript | undefined, scope: Scope) => void) {
    this.context = context;
    this.nested = (script, scope) => this.deeper(() => walk(this, script, scope));
  }

  /** Notes that the line may end here. */
  mayBreak(scope: Scope): void {
    if (this.broken.at(-1) !== scope) this.broken.push(scope);
  }

  /** For a command with an input of its own. Gives back what brings the old one back, unless the new one stays. */
  otherInput(isOther: boolean, other?: Value): (stays?: boolean) => void {
    const { piped } = this;
    if (!isOther || piped === other) return () => undefined;
    this.piped = other;
    return (stays = false) => {
      if (stays) this.changes++;
      else this.piped = piped;
    };
  }

  /** Walks a substitution and gives the one text that it becomes. */
  printed(script: ParsedScript | undefined, scope: Scope): Value {
    this.prints = undefined;
    this.nested(script, scope);
    const [only, ...more] = script?.commands ?? [];
    const printed = this.#taken();
    const isPlain = more.length === 0 && only !== undefined && !only.background && isOneCommand(only.command);
    if (!isPlain || printed === undefined) return ANY_WORD;
    return printed.kind === "name" ? { ...printed, single: true, lines: true } : printed;
  }

  /** What git names as the top of the repository: nothing where it finds none, or may not say. */
  toplevel(folders: readonly string[] | undefined): Value | undefined {
    if (folders === undefined) return undefined;
    const known = folders.map((folder) => this.context.facts?.toplevels.get(folder));
    for (const [index, tops] of known.entries()) if (tops === undefined) this.lacks.toplevels.add(folders[index]!);
    return known.every((tops) => tops !== undefined) ? text(...new Set([...known.flat(), ""])) : undefined;
  }

  /** Whether no branch and no tag of the repositories around these folders looks like an option. */
  havePlainRefs(folders: readonly string[] | undefined): boolean {
    const unknown = folders?.filter((folder) => !this.context.facts?.plainRefs.has(folder));
    for (const folder of unknown ?? []) this.lacks.plainRefs.add(folder);
    return unknown?.length === 0;
  }

  /** Whether no name in these folders looks like an option. */
  havePlainNames(folders: readonly string[] | undefined): boolean {
    const unknown = folders?.filter((folder) => !this.context.facts?.plainNames.has(folder));
    for (const folder of unknown ?? []) this.lacks.plainNames.add(folder);
    return unknown?.length === 0;
  }

  /** Whether every name in these folders, or below them, stays one word without quotes. */
  haveWholeNames({ folders, deep }: Listed): boolean {
    const kind = deep ? "wholeTrees" : "wholeNames";
    const unknown = folders.filter((folder) => !this.context.facts?.[kind].has(folder));
    for (const folder of unknown) this.lacks[kind].add(folder);
    return unknown.length === 0;
  }

  /** Whether no link in these trees leads out of its tree. */
  areClosed(trees: readonly string[] = []): boolean {
    const unknown = trees.filter((tree) => !this.context.facts?.closedTrees.has(tree));
    for (const tree of unknown) this.lacks.closedTrees.add(tree);
    return unknown.length === 0;
  }

  /** Whether nothing in these folders tells a program to run or fetch something else. */
  isUndirected(program: string, folders: readonly string[] | undefined): boolean {
    const known = this.context.facts?.undirected.get(program);
    const unknown = folders?.filter((folder) => !known?.has(folder));
    for (const folder of unknown ?? []) this.lacks.undirected.set(`${program} ${folder}`, [program, folder]);
    return unknown?.length === 0;
  }

  /** Whether it is known of all these programs that they load nothing from elsewhere. */
  areKnown(programs: readonly string[]): boolean {
    const unknown = programs.filter((path) => !this.context.facts?.programs.has(path));
    for (const path of unknown) this.lacks.programs.add(path);
    return unknown.length === 0;
  }

  /** Whether to read these databases writes nothing. */
  areSettled(databases: readonly string[]): boolean {
    const unknown = databases.filter((path) => !this.context.facts?.databases.has(path));
    for (const path of unknown) this.lacks.databases.add(path);
    return unknown.length === 0;
  }

  #taken(): Value | undefined {
    const { prints } = this;
    this.prints = undefined;
    return prints;
  }

  add(...effects: readonly Effect[]): void {
    this.effects.push(...effects);
  }

  unknown(why: string): void {
    if (this.effects.some((effect) => effect.do === "unknown" && effect.why === why)) return;
    this.effects.push({ do: "unknown", basis: "proved", why });
  }

  /** Counts a command; throws `TooMuch` when there is no end. */
  step(): void {
    this.#steps++;
    if (this.#steps > MAX_STEPS) throw new TooMuch(`The script has more than ${MAX_STEPS} steps.`);
  }

  /** Counts the words that one word of the script became; throws `TooMuch` when there is no end. */
  grow(words: number): void {
    this.#grown += words;
    if (this.#grown > MAX_GROWN) throw new TooMuch(`The script comes to more than ${MAX_GROWN} words by expansion.`);
  }

  deeper<T>(walk: () => T): T {
    if (this.#depth >= MAX_DEPTH) throw new TooMuch(`The script is nested more than ${MAX_DEPTH} levels deep.`);
    this.#depth++;
    try {
      return walk();
    } finally {
      this.#depth--;
    }
  }

  /** A place to go back to, for loops that are walked until nothing new is learnt. */
  mark(): readonly [number, number] {
    return [this.effects.length, this.commands.length];
  }

  back([effects, commands]: readonly [number, number]): void {
    this.effects.length = effects;
    this.commands.length = commands;
  }
}

/** Whether what the last command prints is all that is printed. */
const isOneCommand = (node: Statement["command"]): boolean =>
  node.type === "Command" || (node.type === "Pipeline" && node.commands.at(-1)?.type === "Command");

/** Ends an analysis that would take too long. */
export class TooMuch extends Error {}
