import type { Infer } from "@haft/core/schema";
import { defineTool, type Effect, type EffectContext, fail, HaftError, type Problem, text } from "@haft/core/tool";
import { findProgram } from "@haft/host/process";
import { withDoubts } from "../support/command/doubt.ts";
import { exitError } from "../support/command/exit.ts";
import { COMMAND_MS, commandFields } from "../support/command/fields.ts";
import { ofScript } from "../support/command/named-script.ts";
import { namedPath } from "../support/named-path.ts";
import { oneLine } from "../support/wording.ts";

const input = {
  type: "object",
  properties: {
    command: { type: "string", minLength: 1, description: "The PowerShell script to run." },
    timeout: commandFields.timeout,
    description: { type: "string", description: 'What it does, in a few words for the user: "List the services".' },
    workdir: commandFields.workdir,
  },
  required: ["command"],
  additionalProperties: false,
} as const;

/** The output of a PowerShell script for programs. */
interface PowerShellOutput {
  readonly output: string;
  readonly stdout: string;
  readonly stderr: string;
  /** `null` when a signal ended it. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  readonly durationMs: number;
}

/**
 * PowerShell: runs a script in its own process, without profile. Offered on Windows, and wherever pwsh is installed.
 */
export const powershell = defineTool({
  name: "PowerShell",
  aliases: ["powershell", "pwsh"],
  rules: {
    specifier: "command",
    language: "powershell",
    groups: ["shells"],
    substitutes: ["Bash"],
    fields: ["description", "timeout", "run_in_background", "dangerouslyDisableSandbox", "sandbox"],
  },
  title: "Run PowerShell",
  searchHint: "run powershell pwsh cmdlet command windows script",
  description: [
    "Runs a PowerShell script and gives its output and exit code. It is ended when its timeout was reached.",
    "Each call is a new process without profile: locations, variables and functions do not last. There is no input.",
    "For files, prefer Read, Glob, Grep, Edit and Write.",
  ].join("\n"),
  input,
  can: ["run", "read", "write", "unknown"],
  limits: { resultChars: 30_000 },
  onInterrupt: "cancel",
  when: ({ platform }) =>
    platform === "win32" ||
    findPowerShell() !== undefined || { absent: "PowerShell needs Windows, or pwsh in the PATH" },
  effects: async (wish, ctx): Promise<readonly Effect[]> => {
    const { effects, env } = await analyse(wish, ctx);
    const program = findPowerShell();
    // Without a program, nothing runs.
    return program === undefined ? effects : ofScript(effects, scriptOf(program, wish, env), ctx.ports.processes);
  },
  async validate({ workdir }, ctx): Promise<Problem | undefined> {
    const folder = namedPath(ctx, workdir ?? ".");
    const { kind } = await ctx.locate(folder);
    if (kind === "directory") return undefined;
    const code = kind === "missing" ? "file_not_found" : "not_directory";
    return { code, message: `${folder} is not a folder.`, hint: "Name an existing folder in workdir." };
  },
  preview: ({ command }) => ({ kind: "terminal", text: "", command }),
  describe: ({ command, description }) => {
    const what = description?.trim() || (command ? oneLine(command) : "");
    return what === ""
      ? { title: "Run PowerShell", activity: "Running a script" }
      : { title: what, activity: description?.trim() ? what : `Running ${what}` };
  },
  async run(wish, ctx): Promise<PowerShellOutput> {
    const { timeout = COMMAND_MS.usual } = wish;
    const program = findPowerShell();
    if (program === undefined)
      fail("tool_unavailable", "There is no PowerShell on this machine.", "Install pwsh, or use Bash.");
    const { cwd, env } = await analyse(wish, ctx);
    const outcome = await ctx.ports.processes.run({
      ...scriptOf(program, wish, env),
      cwd,
      timeoutMs: Math.min(timeout, COMMAND_MS.most),
      signal: ctx.signal,
      onOutput: (output) => ctx.progress({ output }),
    });
    ctx.progress({ metadata: { exitCode: outcome.exitCode, durationMs: outcome.durationMs } });
    const error = exitError(outcome, timeout, undefined);
    if (error) throw new HaftError(error, { output: outcome });
    return outcome;
  },
  toModel: ({ output }) => [text(output.replace(/\s+$/, "") || "(no output)")],
  toDisplay: ({ output, exitCode }, { command }) => ({
    kind: "terminal",
    text: output,
    command,
    ...(exitCode === null ? {} : { exitCode }),
  }),
});

type Wish = Infer<typeof input>;

const findPowerShell = (): string | undefined => findProgram("pwsh") ?? findProgram("powershell");

/** Passes the script as base64, so that no shell in between interprets it. */
function invocation(program: string, script: string): string {
  const encoded = Buffer.from(script, "utf16le").toString("base64");
  return `'${program.replaceAll("'", "'\\''")}' -NoLogo -NoProfile -NonInteractive -EncodedCommand ${encoded}`;
}

const scriptOf = (program: string, { command }: Wish, env: Readonly<Record<string, string>> | undefined) => ({
  command: `exec ${invocation(program, command)}`,
  ...(env ? { env } : {}),
});

async function analyse(
  { command, workdir }: Pick<Wish, "command" | "workdir">,
  { cwd, home, ports }: Pick<EffectContext, "cwd" | "home" | "ports">,
) {
  const { analysePowerShell } = await import("@haft/shell");
  const folder = (await ports.files.locate(namedPath({ cwd, home }, workdir ?? "."))).path;
  const analysis = analysePowerShell(command, { cwd: folder, home, platform: process.platform });
  return { ...analysis, effects: await withDoubts({ ...analysis, home }, ports), cwd: folder };
}
