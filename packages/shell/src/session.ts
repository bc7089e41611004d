import type { Effect } from "@haft/core/tool";
import type { ParsedScript, Statement } from "unbash";
import type { ShellContext, SimpleCommand } from "./analysis.ts";
import { type Look, type LookKind, lookKey } from "./facts/fact.ts";
import { isEndless, NEVER_ENDS } from "./reader/names/endless.ts";
import type { Scope } from "./scope.ts";
import { ANY_WORD, text, type Value } from "./word/value.ts";

/** How many commands one analysis follows, including repeated walks of loops and functions. */
const MAX_STEPS = 1_500;
/** How many words expansions may yield in total: `set -- "$@" "$@"` doubles without end. */
const MAX_GROWN = 2_000;
/** How deep functions, substitutions and `sh -c` may be nested. */
const MAX_DEPTH = 12;

/** Everything that one analysis gathers. */
export class Session {
  readonly context: ShellContext;
  readonly effects: Effect[] = [];
  readonly commands: SimpleCommand[] = [];
  readonly gitFolders = new Set<string>();
  /** Looks that would help but were not made, each once. */
  readonly lacks = new Map<string, Look>();
  /** Variables that an expansion changed on the way (`$((i++))`, `${x:=y}`), with their possible values since then. */
  readonly loose = new Map<string, Value>();
  /** Walks a script in a subshell: its effects count, its changes of state do not. */
  readonly nested: (script: ParsedScript | undefined, scope: Scope) => void;
  /** The scopes in which `break`, `continue` or `return` left a loop or function. */
  readonly jumps: Scope[] = [];
  /** The scopes in which an expansion may fail: bash then skips the rest of the line and continues with the next one. */
  readonly broken: Scope[] = [];
  /** Variables that are constant from some point on: assigning to one may end the line, too. */
  readonly constants = new Set<string>();
  /** Variables that are arrays from some point on. */
  readonly arrays = new Set<string>();
  /** Local variables of the function being walked, with their earlier values. Absent outside of functions. */
  locals: Map<string, Value> | undefined;
  /** How often the walk learnt something about code that it had already walked. */
  changes = 0;
  /** Why nothing that follows can be proved, if an expansion caused it. */
  tainted: string | undefined;
  /** The input of this command from the pipeline, and its own output, as far as they are known. */
  piped: Value | undefined;
  prints: Value | undefined;
  /** The output of the last process substitution, or the text of the last here-string. */
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

  /** Notes that a variable is constant, or an array, from here on; in a loop this also held before. */
  note(set: Set<string>, name: string): void {
    if (set.has(name)) return;
    set.add(name);
    this.changes++;
  }

  /** The value of a variable that gets one text: in an array the text sets the first member, and the others stay. */
  single(name: string, value: Value): Value {
    return value.kind === "name" && this.arrays.has(name) ? ANY_WORD : value;
  }

  /** For a command with its own input. Returns a function that restores the old one, unless the new one stays. */
  otherInput(isOther: boolean, other?: Value): (stays?: boolean) => void {
    const { piped } = this;
    if (!isOther || piped === other) return () => undefined;
    this.piped = other;
    return (stays = false) => {
      if (stays) this.changes++;
      else this.piped = piped;
    };
  }

  /** Walks a substitution and returns its resulting text. */
  printed(script: ParsedScript | undefined, scope: Scope): Value {
    this.prints = undefined;
    this.nested(script, scope);
    const [only, ...more] = script?.commands ?? [];
    const printed = this.#taken();
    if (isEndless(printed)) this.unknown(NEVER_ENDS);
    const isPlain = more.length === 0 && only !== undefined && !only.background && isOneCommand(only.command);
    if (!isPlain || printed === undefined) return ANY_WORD;
    return printed.kind === "name" ? { ...printed, single: true, lines: true } : printed;
  }

  /** The repository top that git prints. Empty if it finds none or may fail. */
  toplevel(folders: readonly string[] | undefined): Value | undefined {
    if (!this.knows("toplevel", folders)) return undefined;
    const tops = folders?.flatMap((path) => this.context.facts?.get(lookKey({ kind: "toplevel", path })) ?? []);
    return text(...new Set([...(tops ?? []), ""]));
  }

  /** Whether looks have confirmed this for all these paths. Notes the paths without a look. */
  knows(kind: LookKind, paths: readonly string[] | undefined): boolean {
    return paths !== undefined && this.unmet(paths.map((path) => ({ kind, path }))).length === 0;
  }

  /** The questions without a known answer. It notes them. */
  unmet<T extends Look>(questions: readonly T[]): readonly T[] {
    const unmet = questions.filter((one) => !this.context.facts?.has(lookKey(one)));
    for (const one of unmet) this.lacks.set(lookKey(one), one);
    return unmet;
  }

  #taken(): Value | undefined {
    const { prints } = this;
    this.prints = undefined;
    return prints;
  }

  add(...effects: readonly Effect[]): void {
    this.effects.push(...effects);
  }

  unknown(why: string, more?: { readonly commandsShown: false }): void {
    if (this.effects.some((effect) => effect.do === "unknown" && effect.why === why)) return;
    this.effects.push({ do: "unknown", basis: "proved", why, ...more });
  }

  /** Counts a command; throws `TooMuch` above the limit. */
  step(): void {
    this.#steps++;
    if (this.#steps > MAX_STEPS) throw new TooMuch(`The script has more than ${MAX_STEPS} steps.`);
  }

  /** Counts the words that one word of the script became; throws `TooMuch` above the limit. */
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

  /** A place to return to, for loops that are walked until nothing new is learnt. */
  mark(): readonly [number, number] {
    return [this.effects.length, this.commands.length];
  }

  back([effects, commands]: readonly [number, number]): void {
    this.effects.length = effects;
    this.commands.length = commands;
  }
}

/** Whether the last command prints all of the output. */
const isOneCommand = (node: Statement["command"]): boolean =>
  node.type === "Command" || (node.type === "Pipeline" && node.commands.at(-1)?.type === "Command");

/** Ends an analysis that would take too long. */
class TooMuch extends Error {}
