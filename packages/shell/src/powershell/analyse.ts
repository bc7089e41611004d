import type { Effect } from "@haft/core/tool";
import type { ShellAnalysis, SimpleCommand } from "../analysis.ts";
import { gitEnvironment } from "../environment.ts";
import { sayingWhatShows } from "../opaque-parts/what-shows.ts";
import type { Standpoint } from "../place/place.ts";
import { placesOf } from "../place/place.ts";
import { writing } from "../place/place-effects.ts";
import { type Judgement, opaque, withAll } from "../reader/grammar.ts";
import { judgeProgram } from "../reader/program.ts";
import { ANY_WORDS, text, type Value } from "../word/value.ts";
import { canonicalName, cmdletNamed } from "./cmdlets.ts";
import type { Fed, Given, PowerShellContext } from "./context.ts";
import { judgeCmdlet } from "./judge.ts";
import { pathValue } from "./path.ts";
import { type Part, type Token, tokenize } from "./tokens.ts";

const MAX_SCRIPT_CHARS = 10_000;
/** On Windows other programs have the names of Unix ones, so only these are known there. */
const KNOWN_ON_WINDOWS = new Set(["git", "rg", "fd", "jq"]);

/**
 * Says the most that a PowerShell script may do, as `analyseShell` does for bash. It knows pipelines of reading cmdlets, and of programs in
 * the tables of bash; everything else of the language is unknown. Pure and total. The script must run without profile.
 */
export function analysePowerShell(script: string, context: PowerShellContext): ShellAnalysis {
  const tokens =
    script.length > MAX_SCRIPT_CHARS
      ? `The script is longer than ${MAX_SCRIPT_CHARS} characters.`
      : tokenize(script.replaceAll("\r\n", "\n"));
  if (typeof tokens === "string") return unreadable(script, tokens, context);
  const walk = new Walk(context);
  for (const stage of stagesOf(tokens)) walk.stage(stage);
  return walk.conclude();
}

const RUN = { do: "run", basis: "proved", language: "powershell" } as const;

/** Unreadable scripts are unknown. Their names are guessed, so that rules that forbid something still match. */
function unreadable(script: string, why: string, { cwd, platform }: PowerShellContext): ShellAnalysis {
  const commands = script
    .slice(0, MAX_SCRIPT_CHARS)
    .split(/[;|&\n(){}=]+/)
    .map((part) => part.trim().split(/\s+/))
    .filter(([first]) => /^[A-Za-z][\w.\\/:-]*$/.test(first ?? ""))
    .slice(0, 200)
    .map((words): SimpleCommand => {
      const argv = [canonicalName(words[0]!, platform === "win32"), ...words.slice(1)];
      return { argv, text: words.join(" "), cwd, assigns: [], wrappers: [], verdict: "opaque", why };
    });
  const runs = commands.map(({ argv, text: shown }): Effect => ({ ...RUN, argv, text: shown, cwd, opaque: true }));
  const effects = sayingWhatShows([...runs, { do: "unknown", basis: "proved", why }]);
  return { effects, commands, opaque: true, problem: why };
}

interface Stage {
  readonly tokens: readonly Token[];
  /** It gets the output of the command before it. */
  readonly isFed: boolean;
}

/** The commands, and which of them a pipe joins: at the end of a line, or at the beginning of the next one. */
function stagesOf(tokens: readonly Token[]): Stage[] {
  const stages: Stage[] = [];
  let current: Token[] = [];
  let isFed = false;
  const close = (): void => {
    if (current.length > 0) stages.push({ tokens: current, isFed });
    current = [];
  };
  for (const token of tokens) {
    if (token.kind === "pipe") {
      close();
      isFed = true;
    } else if (token.kind === "end") {
      if (current.length > 0 || token.text !== "\n") {
        close();
        isFed = false;
      }
    } else current.push(token);
  }
  close();
  return stages;
}

class Walk {
  readonly #context: PowerShellContext;
  readonly #effects: Effect[] = [];
  readonly #commands: SimpleCommand[] = [];
  readonly #gitFolders = new Set<string>();
  #folders: readonly string[] | undefined;
  /** The earlier commands of the pipeline. */
  #before: Fed[] = [];

  constructor(context: PowerShellContext) {
    this.#context = context;
    this.#folders = [context.cwd];
  }

  stage({ tokens, isFed }: Stage): void {
    if (!isFed) this.#before = [];
    const given = this.#arguments(tokens);
    if (typeof given === "string") {
      this.#unknown(given, tokens);
      return;
    }
    const [first, ...rest] = given;
    const name =
      first !== undefined && "words" in first && first.words.length === 1 ? plainName(first.words[0]!) : undefined;
    if (name === undefined) {
      this.#unknown("The name of a command is not plain.", tokens);
      return;
    }
    const isWindows = this.#context.platform === "win32";
    const canonical = canonicalName(name, isWindows);
    const argv = [
      canonical,
      ...rest.map((one) => ("block" in one ? `{ ${one.block} }` : shownArgument(one, canonical))),
    ];
    const shown = tokens
      .filter(({ kind }) => kind !== "redirect")
      .map(textOf)
      .join(" ")
      .replaceAll(" , ", ", ");
    const judged = this.#judge(name, canonical, rest);
    this.#record(argv, shown, judged);
    this.#before.push({ name: canonical, effects: "why" in judged ? [] : judged.effects });
  }

  #judge(name: string, canonical: string, given: readonly Given[]): Judgement {
    const { cwd: start, home } = this.#context;
    const at: Standpoint = { folders: this.#folders, moved: [], start, home };
    if (/[\\/]/.test(name)) return opaque("A program that is named by its path may do anything.");
    if (canonical === "Set-Location") return this.#enter(given);
    const cmdlet = cmdletNamed(canonical);
    if (cmdlet !== undefined) return judgeCmdlet(cmdlet, given, { ...at, ...this.#context, before: this.#before });
    if (canonical.toLowerCase() !== name.toLowerCase() && !/\.exe$/i.test(name))
      return opaque(`What ${canonical} does is not known.`);
    return this.#native(canonical, given, at);
  }

  #native(name: string, given: readonly Given[], at: Standpoint): Judgement {
    if (this.#context.platform === "win32" && !KNOWN_ON_WINDOWS.has(name))
      return opaque(`What ${name} does is not known.`);
    const args: Value[] = [];
    for (const one of given) {
      const value = "block" in one || one.words.length !== 1 ? undefined : nativeValue(one.words[0]!, this.#context);
      if (value === undefined) return opaque(`How PowerShell hands this on to ${name} is not certain.`);
      args.push(value);
    }
    const { judgement, gitFolders, starts, followed = [] } = judgeProgram(name, args, at);
    if (starts !== undefined && starts.length > 0) return opaque(`${name} starts other programs.`);
    if ("why" in judgement) return judgement;
    // PowerShell has no looks at the place.
    const [need] = judgement.needs ?? [];
    if (need !== undefined) return opaque(need.why);
    for (const folder of gitFolders ?? []) this.#gitFolders.add(folder);
    return followed.length > 0 ? withAll(judgement) : judgement;
  }

  /** `cd folder`: it may fail, so both folders count from here on. */
  #enter(given: readonly Given[]): Judgement {
    const [one] = given;
    const before = this.#folders;
    this.#folders = undefined;
    if (given.length !== 1 || one === undefined || "block" in one || one.words.length !== 1) return { effects: [] };
    const value = pathValue(one.words[0]!, this.#context, false);
    if (typeof value === "string" || value.kind !== "text" || value.texts[0]!.includes("..")) return { effects: [] };
    const places = placesOf(value, { folders: before, moved: [], start: this.#context.cwd });
    if (typeof places !== "string" && before !== undefined) {
      const folders = [...new Set([...before, ...places.map(({ path }) => path)])];
      if (folders.length <= 4) this.#folders = folders;
    }
    return { effects: [] };
  }

  #arguments(tokens: readonly Token[]): Given[] | string {
    const given: Given[] = [];
    let joins = false;
    for (let index = 0; index < tokens.length; index++) {
      const token = tokens[index]!;
      if (token.kind === "comma") {
        if (joins || given.length < 2) return "A comma stands where none is expected.";
        joins = true;
      } else if (token.kind === "block") {
        if (joins) return "A list of blocks is not understood.";
        given.push({ block: token.text });
      } else if (token.kind === "redirect") {
        if (token.to === undefined) continue;
        const problem = this.#redirect(tokens[++index], token.append === true);
        if (problem !== undefined) return problem;
      } else if (token.kind === "word") {
        const last = given.at(-1);
        if (!joins) given.push({ words: [token.parts], text: token.text });
        else if (last === undefined || "block" in last) return "A list is not understood.";
        else given[given.length - 1] = { words: [...last.words, token.parts], text: `${last.text},${token.text}` };
        joins = false;
      }
    }
    return joins ? "A list has no end." : given;
  }

  #redirect(target: Token | undefined, append: boolean): string | undefined {
    const value =
      target?.kind === "word"
        ? pathValue(target.parts, this.#context, true)
        : "The target of a redirection is missing.";
    const at = { folders: this.#folders, moved: [], start: this.#context.cwd };
    const places =
      typeof value === "string"
        ? value
        : value.kind === "text"
          ? placesOf(value, at)
          : "It is not known where a redirection leads.";
    if (typeof places === "string") return places;
    this.#effects.push(...places.map((place) => writing(place, append ? "modify" : "replace")));
    return undefined;
  }

  #unknown(why: string, tokens: readonly Token[]): void {
    const guessed = unreadable(tokens.map(textOf).join(" "), why, this.#context);
    this.#effects.push(...guessed.effects);
    this.#commands.push(...guessed.commands);
  }

  #record(argv: readonly string[], shown: string, judged: Judgement): void {
    const cwd = this.#folders?.[0] ?? this.#context.cwd;
    const why = "why" in judged ? judged.why : undefined;
    this.#effects.push({
      ...RUN,
      argv,
      text: shown,
      cwd,
      ...(why === undefined ? {} : { opaque: true }),
    });
    const effects = "why" in judged ? (judged.changes ?? []) : judged.effects;
    this.#effects.push(
      ...effects.map((one) => (one.do === "read" || one.do === "write" ? { ...one, of: shown } : one)),
    );
    const verdict = why === undefined ? "reads" : "opaque";
    this.#commands.push({
      argv,
      text: shown,
      cwd,
      assigns: [],
      wrappers: [],
      verdict,
      ...(why === undefined ? {} : { why }),
    });
  }

  conclude(): ShellAnalysis {
    const effects = this.#effects;
    const isOpaque = effects.some((one) => one.do === "unknown" || (one.do === "run" && one.opaque === true));
    const acts = isOpaque || effects.some((one) => one.do === "write");
    const commands = this.#commands;
    if (this.#gitFolders.size === 0) return { effects, commands, opaque: isOpaque };
    return { effects, commands, opaque: isOpaque, env: gitEnvironment(acts), gitFolders: [...this.#gitFolders] };
  }
}

const plainName = (parts: readonly Part[]): string | undefined =>
  parts.length === 1 &&
  !parts[0]!.quoted &&
  !parts[0]!.unknown &&
  /^[A-Za-z%?][\w.\\/:-]*$/.test(parts[0]!.text) &&
  !isKeyword(parts[0]!.text)
    ? parts[0]!.text
    : undefined;

const isKeyword = (word: string): boolean =>
  /^(if|else|elseif|for|while|do|until|switch|function|filter|workflow|class|enum|using|try|catch|finally|throw|trap|return|exit|break|continue|param|begin|process|end|clean|dynamicparam|data|in|configuration)$/i.test(
    word,
  );

const textOf = (token: Token): string => (token.kind === "block" ? `{ ${token.text} }` : token.text);

/** The words that rules compare, without quotes. Removals name their targets in the usual form. */
function shownArgument(one: Extract<Given, { words: unknown }>, command: string): string {
  const shown = one.words.map((parts) => parts.map((part) => part.text).join("")).join(",");
  return command === "Remove-Item"
    ? shown.replaceAll("\\", "/").replace(/^([A-Za-z]):(?=\/|$)/, (_, drive: string) => `/${drive.toLowerCase()}`)
    : shown;
}

/** How a word reaches a program. A word that PowerShell is known to mangle, by version or platform, has no value. */
function nativeValue(parts: readonly Part[], { home }: PowerShellContext): Value | undefined {
  if (parts.some((part) => part.unknown)) return ANY_WORDS;
  const word = parts.map((part) => part.text).join("");
  if (word === "" || /["\\]/.test(word) || word === "--%") return undefined;
  const bare = parts
    .filter((part) => !part.quoted)
    .map((part) => part.text)
    .join("");
  if (/^-.*[.:]/.test(bare) && parts[0]!.quoted === false) return undefined;
  if (/[[\]*?]/.test(bare)) {
    const cut = word.search(/[[\]*?]/);
    return { kind: "name", heads: [word.slice(0, cut)], rest: word.slice(cut) };
  }
  if (bare.startsWith("~")) return /^~(\/|$)/.test(word) ? text(home + word.slice(1)) : undefined;
  return text(word);
}
