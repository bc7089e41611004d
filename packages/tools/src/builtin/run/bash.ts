import type { Infer } from "@haft/core/schema";
import {
  type CallContext,
  defineTool,
  type Effect,
  type EffectContext,
  HaftError,
  type JobRequest,
  type Problem,
  type RunEffect,
  type RunOutcome,
  resolve,
  text,
  write,
} from "@haft/core/tool";
import { withDoubts } from "../support/command/doubt.ts";
import { benignExit, exitError, wordsOf } from "../support/command/exit.ts";
import { withNearNames } from "../support/command/exit-hints.ts";
import { COMMAND_MS, commandFields } from "../support/command/fields.ts";
import { livesOn } from "../support/command/lives-on.ts";
import { ofScript } from "../support/command/named-script.ts";
import { showPrinted } from "../support/command/printed-files.ts";
import { shell } from "../support/command/shell.ts";
import { namedPath } from "../support/named-path.ts";
import { oneLine } from "../support/wording.ts";
import { type Running, START_MS, startInBackground, withoutAdvice } from "./jobs/background.ts";

const input = {
  type: "object",
  properties: {
    command: { type: "string", minLength: 1, description: "The bash script to run." },
    timeout: commandFields.timeout,
    description: { type: "string", description: 'What it does, in a few words for the user: "Run the unit tests".' },
    workdir: commandFields.workdir,
    run_in_background: {
      type: "boolean",
      description:
        "For servers, watchers and long work: returns at once; it runs until the session ends. TaskOutput and process show its output, TaskStop ends it. No timeout unless given.",
    },
    writes: {
      type: "array",
      items: { type: "string", minLength: 1 },
      maxItems: 50,
      description:
        "Background only: files and folders that it changes while it runs, except ignored build output. Needed where the workspace is read-only for jobs.",
    },
    wait_ms: {
      type: "integer",
      minimum: 0,
      maximum: COMMAND_MS.most,
      description: "Milliseconds to wait; then it continues in the background, and you get its output so far.",
    },
    dry_run: {
      type: "boolean",
      description:
        "Run it in a copy of the workspace without network, and show its changes. The user applies or discards them.",
    },
    in_copy: {
      type: "boolean",
      description: "Background only: run in a frozen copy of the workspace, which is merged when it ends.",
    },
    stdin: {
      type: "boolean",
      description: "Background only: keep stdin open for process write.",
    },
    tty: {
      type: "boolean",
      description:
        "Background only: run in a terminal, for prompts, REPLs and passwords. Type with process write; send a key like Ctrl-C as its control character.",
    },
  },
  required: ["command"],
  additionalProperties: false,
} as const;

/** The output of a command for programs. */
interface BashOutput {
  /** Both streams in order of arrival. */
  readonly output: string;
  readonly stdout: string;
  readonly stderr: string;
  /** `null` when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal?: string;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  readonly durationMs: number;
  /** The folder in which the script ended, if known. */
  readonly cwd?: string;
  /** Processes that it left running hold its output open. */
  readonly left: boolean;
  /** The background job that owns these processes. */
  readonly leftJob?: string;
  /** Names of processes that it left running and that were ended with it. */
  readonly endedWith?: readonly string[];
  /** Accesses that the sandbox denied, and files that it moved to quarantine. */
  readonly denied?: string;
  /** The meaning of a non-zero exit code that is not a failure. */
  readonly meaning?: string;
  /** Set while it continues in the background; `exitCode` is not known yet. */
  readonly job?: Running;
}

/** Bash: runs a shell script in its own process group. */
export const bash = defineTool({
  name: "Bash",
  aliases: ["bash", "exec", "Shell", "shell", "run_shell_command", "shell_command", "exec_command"],
  rules: {
    specifier: "command",
    groups: ["runtime", "shells"],
    fields: ["dangerouslyDisableSandbox", "sandbox"],
  },
  title: "Run command",
  searchHint: "run shell command bash terminal execute script program",
  description: [
    "Runs a bash script and returns its output and exit code.",
    "Each call is a new shell in the working directory: cd, variables and functions do not last. No input; no terminal without tty.",
    "For files, prefer Read, Glob, Grep, Edit and Write.",
  ].join("\n"),
  input,
  can: ["run", "read", "write", "connect", "unknown"],
  limits: { resultChars: 30_000 },
  onInterrupt: "cancel",
  effects: async (wish, ctx): Promise<readonly Effect[]> => {
    const analysis = await analyse(wish, ctx);
    const { effects, commands, cwd } = analysis;
    const script = scriptOf(wish, analysis);
    if (!goesOn(wish, commands, ctx)) return ofScript(effects, script, ctx.ports.processes);
    const marked = goingOn([...effects, ...declaredWrites(wish, cwd)], wish, cwd);
    // At a terminal, a program that only reads may accept keys that do more.
    return ofScript(wish.tty ? marked.map(opened) : marked, script, ctx.ports.processes);
  },
  async validate(wish, ctx): Promise<Problem | undefined> {
    const { workdir, stdin, tty, in_copy } = wish;
    if (wish.dry_run && isBackground(wish))
      return { code: "validation_failed", message: "A dry run ends before its changes are shown.", hint: DRY_RUN_HINT };
    if (stdin && !isBackground(wish))
      return { code: "validation_failed", message: "stdin is only for background commands.", hint: BACKGROUND_HINT };
    if (wish.writes && !isBackground(wish))
      return { code: "validation_failed", message: "writes is only for background commands.", hint: WRITES_HINT };
    if (in_copy && !isBackground(wish))
      return { code: "validation_failed", message: "in_copy is only for background commands.", hint: COPY_HINT };
    if (tty && !isBackground(wish))
      return { code: "validation_failed", message: "tty is only for background commands.", hint: TTY_HINT };
    const folder = namedPath(ctx, workdir ?? ".");
    const { kind } = await ctx.locate(folder);
    if (kind === "directory") return undefined;
    const code = kind === "missing" ? "file_not_found" : "not_directory";
    return { code, message: `${folder} is not a folder.`, hint: "Name an existing folder in workdir." };
  },
  async preview(wish, ctx) {
    const { commands } = await analyse(wish, ctx);
    const whole = { kind: "terminal", text: "", command: wish.command } as const;
    if (commands.length < 2) return whole;
    const parts = commands.map((command) => ({ kind: "terminal", text: "", command: command.text }) as const);
    return { kind: "group", title: wish.description ?? wish.command, items: [whole, ...parts] };
  },
  isDryRun: ({ dry_run }) => dry_run === true,
  describe: ({ command, description }) => {
    const what = description?.trim() || (command ? oneLine(command) : "");
    if (what === "") return { title: "Run command", activity: "Running a command" };
    return { title: what, activity: description?.trim() ? what : `Running ${what}` };
  },
  async run(wish, ctx): Promise<BashOutput> {
    const { timeout = COMMAND_MS.usual } = wish;
    const analysis = await analyse(wish, ctx);
    const place = { ...scriptOf(wish, analysis), cwd: analysis.cwd };
    if (goesOn(wish, analysis.commands, ctx)) return inBackground(wish, place, analysis, ctx);
    const outcome = await ctx.ports.processes.run({
      ...place,
      timeoutMs: Math.min(timeout, COMMAND_MS.most),
      signal: ctx.signal,
      onOutput: (output) => ctx.progress({ output }),
    });
    return settled(outcome, wish, analysis, ctx);
  },
  toModel: (outcome) => {
    const body = outcome.output.replace(/\s+$/, "");
    return [text([body, ...notesOf(outcome)].filter(Boolean).join("\n") || "(no output)")];
  },
  // People see the notes too: they also need to know where something went.
  toDisplay: (outcome, { command }) => ({
    kind: "terminal",
    text: withoutAdvice(withNotes(outcome.output, notesOf(outcome))),
    command,
    ...(outcome.exitCode === null ? {} : { exitCode: outcome.exitCode }),
  }),
});

/** Adds each note on its own line; the output stays unchanged. */
const withNotes = (said: string, notes: readonly string[]): string =>
  notes.length === 0 ? said : [...(said === "" ? [] : [said.replace(/\n$/, "")]), ...notes].join("\n");

/** Notes on a command in addition to its output. */
const notesOf = ({ exitCode, meaning, left, leftJob, endedWith = [], denied }: BashOutput): readonly string[] =>
  [
    // If this made the command fail, the error reports it.
    denied !== undefined && (exitCode === 0 || meaning !== undefined) ? `[${denied}]` : "",
    meaning === undefined ? "" : `[Exit code ${exitCode}: ${meaning}.]`,
    left ? leftNote(leftJob) : "",
    endedWith.length > 0 ? endedNote(endedWith) : "",
  ].filter(Boolean);

const leftNote = (job: string | undefined): string =>
  job === undefined
    ? "[Processes of this command are still running in the background.]"
    : `[Its remaining processes are now background job ${job}; TaskStop or the end of the session ends them. Their output is not recorded: start servers with run_in_background.]`;

/** The processes ended with the command, each name once: `sleep (2), node`. */
function endedNote(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const list = [...counts].map(([name, count]) => (count > 1 ? `${name} (${count})` : name)).join(", ");
  return `[Its remaining processes were ended with it, because it ran in a sandbox: ${list}. Start processes that must keep running with run_in_background.]`;
}

type Wish = Infer<typeof input>;

const BACKGROUND_HINT = "Set run_in_background or wait_ms as well, or use a pipe or here-document as input.";

const COPY_HINT = "Set run_in_background or wait_ms as well, or dry_run to see the changes first.";

const TTY_HINT = "Set run_in_background or wait_ms as well: programs in a terminal wait for keys.";

const WRITES_HINT = "Leave it out: the changes of a foreground command are recorded when it ends.";

const opened = (effect: Effect): Effect =>
  effect.do === "run" ? { ...effect, opaque: true, basis: "enforced" } : effect;

const DRY_RUN_HINT = "A dry run cannot use run_in_background or wait_ms.";

/**
 * Marks every command of a script that continues after its call ends. A script that cannot be parsed counts as one
 * command. If the script is known to change files, those changes cannot be held back (`direct`), unless it works in a copy.
 */
function goingOn(
  effects: readonly Effect[],
  { command, in_copy }: Pick<Wish, "command" | "in_copy">,
  cwd: string,
): readonly Effect[] {
  const isDirect = !in_copy && effects.some((effect) => effect.do === "write" && !effect.unread);
  const mark: Pick<RunEffect, "background" | "direct"> = { background: true, ...(isDirect ? { direct: true } : {}) };
  const marked = effects.map((effect): Effect => (effect.do === "run" ? { ...effect, ...mark } : effect));
  if (marked.some((effect) => effect.do === "run")) return marked;
  const whole = { do: "run", basis: "enforced", argv: ["bash", "-c", command], text: command, cwd } as const;
  return [...marked, { ...whole, opaque: true, ...mark }];
}

const isBackground = (wish: Wish): boolean => wish.run_in_background === true || wish.wait_ms !== undefined;

/** A server or watcher never ends on its own: without a given time, it goes to the background at once. */
const goesOn = (wish: Wish, commands: Analysis["commands"], { ports }: Pick<EffectContext, "ports">): boolean =>
  isBackground(wish) ||
  (ports.jobs !== undefined &&
    !wish.dry_run &&
    wish.timeout === undefined &&
    livesOn(commands.slice(-1)) !== undefined);

const declaredWrites = ({ writes = [], command }: Wish, cwd: string): readonly Effect[] =>
  writes.map((name) => ({ ...write(resolve(cwd, name), "modify", { tree: true }), of: command }));

async function inBackground(
  wish: Wish,
  place: Pick<JobRequest, "command" | "cwd" | "env">,
  analysis: Analysis,
  ctx: CallContext,
): Promise<BashOutput> {
  const request: JobRequest = {
    ...place,
    ...(wish.timeout === undefined ? {} : { timeoutMs: wish.timeout }),
    ...(wish.description === undefined ? {} : { description: wish.description }),
    ...(wish.stdin ? { takesInput: true } : {}),
    ...(wish.tty ? { hasTerminal: true } : {}),
    ...(wish.in_copy ? { inCopy: true } : {}),
  };
  const started = await startInBackground(request, wish.wait_ms ?? START_MS, ctx);
  if ("outcome" in started) return settled(started.outcome, wish, analysis, ctx);
  const { running, output } = started;
  const open = { exitCode: null, timedOut: false, cancelled: false, durationMs: 0, left: false };
  return { ...open, output, stdout: output, stderr: "", job: running };
}

/** The output of an ended command; a failure is thrown with it. */
async function settled(outcome: RunOutcome, wish: Wish, analysis: Analysis, ctx: CallContext): Promise<BashOutput> {
  await showPrinted(ctx.ports.files, analysis.effects, outcome.output);
  const { command, timeout = COMMAND_MS.usual } = wish;
  const meaning = benignExit(command, analysis, outcome);
  const output: BashOutput = meaning === undefined ? outcome : { ...outcome, meaning };
  ctx.progress({ metadata: { exitCode: outcome.exitCode, durationMs: outcome.durationMs } });
  // A job has one stream for both stdout and stderr.
  const isJob = goesOn(wish, analysis.commands, ctx);
  const said = isJob ? { ...outcome, stderr: outcome.output } : outcome;
  const error = exitError(said, timeout, meaning, isJob ? {} : analysis);
  if (!error) return output;
  const { hint } = error;
  if (hint === undefined) throw new HaftError(error, { output });
  const named = await withNearNames(hint, wordsOf(said), analysis.cwd, ctx.ports.files);
  throw new HaftError({ ...error, hint: named }, { output });
}

/** The script to run. The proof that a command only reads may rely on variables such as GIT_OPTIONAL_LOCKS. */
const scriptOf = ({ command }: Wish, { env }: Pick<Analysis, "env">) => ({ command, ...(env ? { env } : {}) });

type Analysis = Awaited<ReturnType<typeof analyse>>;

/** The script's effects, read by the one shell parser that policy and prompts also use. */
async function analyse(
  { command, workdir }: { readonly command: string; readonly workdir?: string },
  { cwd, home, ports }: Pick<EffectContext, "cwd" | "home" | "ports">,
) {
  const { analyseInPlace } = await shell();
  const folder = (await ports.files.locate(namedPath({ cwd, home }, workdir ?? "."))).path;
  const inOtherShell = (await ports.processes.runsBash?.()) === false;
  const place = { cwd: folder, home, env: { HOME: home, PWD: folder }, inOtherShell };
  const analysis = await analyseInPlace(command, place, ports.files);
  return { ...analysis, effects: await withDoubts({ ...analysis, home }, ports), cwd: folder };
}
