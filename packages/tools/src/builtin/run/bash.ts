import { defineTool, type Effect, type EffectContext, HaftError, type Problem, resolve, text } from "@haft/core/tool";
import { benignExit, exitError } from "../support/exit.ts";
import { oneLine } from "../support/wording.ts";

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;

const input = {
  type: "object",
  properties: {
    command: { type: "string", minLength: 1, description: "The bash script to run." },
    timeout: {
      type: "integer",
      minimum: 1,
      maximum: MAX_TIMEOUT_MS,
      description: `Milliseconds after which it is ended. Default ${DEFAULT_TIMEOUT_MS}, at most ${MAX_TIMEOUT_MS}.`,
    },
    description: { type: "string", description: 'What it does, in a few words for the user: "Run the unit tests".' },
    workdir: {
      type: "string",
      format: "path",
      description:
        "The folder to run in: absolute, or relative to the working directory. Default: the working directory.",
    },
  },
  required: ["command"],
  additionalProperties: false,
} as const;

/** What a command gives to programs. */
export interface BashOutput {
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
  /** The folder in which the script ended, where that was learnt. */
  readonly cwd?: string;
  /** Processes that it left running hold on to its output. */
  readonly left: boolean;
  /** What a non-zero exit code means that is no failure. */
  readonly meaning?: string;
}

/** Bash: a shell script in a process group of its own. */
export const bash = defineTool({
  name: "Bash",
  aliases: ["bash", "exec", "Shell", "shell", "run_shell_command"],
  title: "Run command",
  searchHint: "run shell command bash terminal execute script program",
  description: [
    "Runs a bash script and gives its output and exit code.",
    "Each call is a new shell in the working directory: cd, variables and functions do not last. There is no input and no terminal.",
    "For reading, finding, searching and changing files, Read, Glob, Grep, Edit and Write are better.",
  ].join("\n"),
  input,
  can: ["run", "read", "write", "connect", "unknown"],
  limits: { resultChars: 30_000 },
  onInterrupt: "cancel",
  effects: async (wish, ctx): Promise<readonly Effect[]> => (await analyse(wish, ctx)).effects,
  async validate({ workdir }, ctx): Promise<Problem | undefined> {
    const folder = resolve(ctx.cwd, workdir ?? ".");
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
    return { kind: "group", title: wish.description ?? oneLine(wish.command), items: [whole, ...parts] };
  },
  describe: ({ command, description }) => {
    const what = description?.trim() || (command ? oneLine(command) : "");
    if (what === "") return { title: "Run command", activity: "Running a command" };
    return { title: what, activity: description?.trim() ? what : `Running ${what}` };
  },
  async run(wish, ctx): Promise<BashOutput> {
    const { command, timeout = DEFAULT_TIMEOUT_MS } = wish;
    const analysis = await analyse(wish, ctx);
    const outcome = await ctx.ports.processes.run({
      command,
      cwd: analysis.cwd,
      timeoutMs: Math.min(timeout, MAX_TIMEOUT_MS),
      signal: ctx.signal,
      // The proof that a command only reads may rest on variables such as GIT_OPTIONAL_LOCKS.
      ...(analysis.env ? { env: analysis.env } : {}),
      onOutput: (output) => ctx.progress({ output }),
    });
    const meaning = benignExit(command, analysis, outcome);
    const output: BashOutput = meaning === undefined ? outcome : { ...outcome, meaning };
    ctx.progress({ metadata: { exitCode: outcome.exitCode, durationMs: outcome.durationMs } });
    const error = exitError(outcome, timeout, meaning);
    if (error) throw new HaftError(error, { output });
    return output;
  },
  toModel: ({ output, exitCode, meaning, left }) => {
    const notes = [
      meaning === undefined ? "" : `[Exit code ${exitCode}: ${meaning}.]`,
      left ? "[Processes of this command are still running in the background.]" : "",
    ].filter(Boolean);
    const body = output.replace(/\s+$/, "");
    return [text([body, ...notes].filter(Boolean).join("\n") || "(no output)")];
  },
  toDisplay: ({ output, exitCode }, { command }) => ({
    kind: "terminal",
    text: output,
    command,
    ...(exitCode === null ? {} : { exitCode }),
  }),
});

/** What the script does, read by the one shell parser that policy and prompts rely on too. */
async function analyse(
  { command, workdir }: { readonly command: string; readonly workdir?: string },
  { cwd, home, ports }: Pick<EffectContext, "cwd" | "home" | "ports">,
) {
  const { analyseShell, riskyGitConfig } = await import("../../shell/index.ts");
  const folder = (await ports.files.locate(resolve(cwd, workdir ?? "."))).path;
  const analysis = analyseShell(command, { cwd: folder, home, env: { HOME: home, PWD: folder } });
  const configs = await Promise.all((analysis.gitFolders ?? []).map((path) => ports.files.gitConfig(path)));
  const risky = configs.flatMap((text) => riskyGitConfig(text ?? ""));
  // A repository may tell git to run programs of its choice: what git does there is then not known.
  const effects = risky.length === 0 ? analysis.effects : analysis.effects.map(doubtGit);
  return { ...analysis, effects, cwd: folder };
}

const doubtGit = (effect: Effect): Effect =>
  effect.do === "run" && /(^|\/)git$/.test(effect.argv[0] ?? "")
    ? { ...effect, opaque: true, basis: "enforced" }
    : effect;
