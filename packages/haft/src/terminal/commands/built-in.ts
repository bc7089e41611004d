import { spawn } from "node:child_process";
import { modes } from "@haft/core/policy";
import { drawExplanation } from "../../draw/decision.ts";
import { drawDisplay } from "../../draw/display.ts";
import { inWords } from "../../draw/rows/spoken-text.ts";
import { oneLine, programOutput } from "../../draw/sanitize.ts";
import type { Style, Theme } from "../../draw/style.ts";
import { toolInfos } from "../../draw/tool-info.ts";
import { drawToolList } from "../../draw/tool-page.ts";
import type { AgentSession, StoredSession } from "../../session/index.ts";
import type { Screen } from "../screen/screen.ts";
import type { TerminalCommand } from "./command.ts";
import { openHeld, type WithJournal } from "./held.ts";
import { openResume } from "./resume.ts";
import { openUndo } from "./undo.ts";

export interface CommandContext {
  readonly session: AgentSession;
  readonly screen: Screen;
  readonly style: () => Style;
  setTheme(theme: Theme): void;
  /** Options of this process that reports about the machine depend on. */
  readonly flags: readonly string[];
  readonly withJournal: WithJournal;
  earlier(): readonly StoredSession[];
  resume(id: string): void;
  page(text: string): Promise<void>;
  /** The link to the canvas, drawn. */
  showLink(): Promise<string>;
}

const KEYS: readonly (readonly [keys: string, meaning: string])[] = [
  ["Enter", "sends; Alt-Enter, Ctrl-J or \\ before Enter begin a new line"],
  ["Esc", "stops the running work; twice at the prompt: the list of changes"],
  ["Shift-Tab", "changes the mode"],
  ["Tab", "completes /commands and @files"],
  ["Up, Down", "earlier prompts; Up also withdraws a queued prompt"],
  ["Ctrl-R", "searches the earlier prompts"],
  ["Ctrl-O", "the complete conversation in a pager"],
  ["Ctrl-C", "stops the running work, or clears the line; twice exits"],
  ["!command", "runs a command"],
  ["@file", "attaches a file"],
];

/** The commands of the terminal UI. */
export function terminalCommands(context: CommandContext): readonly TerminalCommand[] {
  const { session, screen, style, page } = context;
  const table = (columns: readonly string[], rows: readonly (readonly string[])[], empty: string): string =>
    rows.length === 0
      ? `  ${empty}`
      : insetLines(drawDisplay({ kind: "table", columns, rows }, style()), style().width);
  return [
    { name: "help", description: "keys and commands", run: () => help(session, terminalCommands(context), table) },
    {
      name: "undo",
      description: "lists the changes and undoes from a chosen one on",
      run: () => openUndo(session, screen, style),
    },
    {
      name: "held",
      description: "applies or discards the changes of a dry run",
      run: () => openHeld(context.withJournal, screen, style),
    },
    {
      name: "resume",
      description: "resumes an earlier conversation",
      run: () => openResume(screen, context.earlier(), (id) => id !== undefined && context.resume(id)),
    },
    {
      name: "tools",
      description: "the tools and what they can do",
      run: async () => {
        const tools = await toolInfos(session.haft);
        return inset(style(), (inner) => drawToolList(tools, inner));
      },
    },
    {
      name: "permissions",
      description: "the mode and the rules, or the decision about a call",
      argumentHint: '[Tool {"json"}]',
      run: (args) => permissions(session, args, style(), table),
    },
    {
      name: "mcp",
      description: "the MCP servers and their state",
      run: () =>
        table(
          ["server", "state", "tools", "problem"],
          session.haft.mcp
            .list()
            .map(({ server, state, tools, error }) => [server.name, state, String(tools.length), error?.message ?? ""]),
          "No MCP servers. Add one: haft mcp add NAME -- COMMAND",
        ),
    },
    {
      name: "agents",
      description: "the available and started agents",
      run: () => agents(session, table),
    },
    {
      name: "jobs",
      description: "the background jobs",
      run: () =>
        table(
          ["job", "state", "command"],
          session.haft.jobs.list().map(({ id, status, command }) => [id, status, command]),
          "No background jobs.",
        ),
    },
    { name: "canvas", description: "the link to the agent's pages", run: () => context.showLink() },
    themeCommand(context),
    {
      name: "transcript",
      description: "the whole conversation in a pager",
      run: () => page(screen.transcript()).then(() => undefined),
    },
    {
      name: "doctor",
      description: "checks this machine",
      async run() {
        const said = await ownCommand(["doctor", ...context.flags], session.haft.cwd, session.model?.name);
        return insetLines(said, style().width);
      },
    },
    { name: "exit", description: "leaves", run: () => undefined },
  ];
}

const themeCommand = ({ style, setTheme }: CommandContext): TerminalCommand => ({
  name: "theme",
  description: "colours for a dark or a light background",
  argumentHint: "dark|light",
  run(args) {
    if (args !== "dark" && args !== "light")
      return `  Theme ${style().theme ?? "without colours"}. /theme dark or /theme light changes it.`;
    setTheme(args);
    return `  Theme ${args}. Set HAFT_THEME=${args} to keep it.`;
  },
});

type Table = (columns: readonly string[], rows: readonly (readonly string[])[], empty: string) => string;

function help(session: AgentSession, own: readonly TerminalCommand[], table: Table): string {
  const known = [...own, ...session.commands().filter(({ name }) => own.every((one) => one.name !== name))];
  const commands = known.map(({ name, argumentHint, description }) => [
    `/${name}${argumentHint ? ` ${argumentHint}` : ""}`,
    description,
  ]);
  return [table(["keys", ""], KEYS, ""), "", table(["commands", ""], commands, "")].join("\n");
}

async function permissions({ haft }: AgentSession, args: string, style: Style, table: Table): Promise<string> {
  const [, tool, json] = /^(\w+)\s*(\{.*\})$/s.exec(args) ?? [];
  if (tool === undefined || json === undefined)
    return [
      insetLines(`Mode ${haft.mode}. Modes: ${modes.join(", ")}. Shift-Tab or /mode changes it.`, style.width),
      table(
        ["", "rule", "from"],
        haft.rules.map(({ behavior, text, origin, file, line }) => [
          behavior,
          oneLine(text),
          file === undefined ? origin : `${origin}: ${oneLine(file)}${line === undefined ? "" : `:${line}`}`,
        ]),
        "No rules yet. They are in the settings: ~/.config/haft/settings.json and .haft/settings.json.",
      ),
      insetLines('/permissions Bash {"command": "npm test"} shows what would be decided, and why.', style.width),
    ].join("\n");
  const explanation = await haft.explain(tool, inputOf(json));
  return inset(style, (inner) => drawExplanation(explanation, inner));
}

function inputOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (thrown) {
    throw new TypeError(`The input is not valid JSON. ${(thrown as Error).message}.`, { cause: thrown });
  }
}

/** Draws beside the left edge, which belongs to Haft's marks. */
export function inset(style: Style, draw: (inner: Style) => string): string {
  return draw({ ...style, width: style.width - 2 }).replaceAll(/^(?=.)/gm, "  ");
}

/** Lines of another command, broken to the width; a broken line goes on below its own beginning. */
export function insetLines(text: string, width: number): string {
  return text
    .split("\n")
    .map((line) => {
      const indent = " ".repeat(line.length - line.trimStart().length + 2);
      return indent + inWords(line.trimStart(), Math.max(8, width - indent.length)).replaceAll("\n", `\n${indent}`);
    })
    .join("\n");
}

function agents({ haft }: AgentSession, table: Table): string {
  const { agents: known } = haft;
  if (!known) return "  No model is configured for agents.";
  const running = known
    .list()
    .map(({ id, type, name, status, calls, tokens }) => [id, name ?? type, status, String(calls), String(tokens)]);
  return [
    table(
      ["kind", ""],
      known.types().map(({ name, description }) => [name, oneLine(description)]),
      "",
    ),
    "",
    table(["agent", "kind", "state", "calls", "tokens"], running, "No agent was started yet."),
  ].join("\n");
}

/** The output of another command of Haft, in a process of its own. */
function ownCommand(args: readonly string[], cwd: string, model: string | undefined): Promise<string> {
  const program = process.argv[1] ?? "";
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...process.execArgv, program, ...args], {
      cwd,
      // It reports about the model of this session, not about the one that a new session would have.
      env: { ...process.env, ...(model === undefined ? {} : { HAFT_MODEL: model }) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
    child.once("error", ({ message }) => resolve(`  haft ${args.join(" ")} did not start: ${message}`));
    child.once("close", () => resolve(programOutput(said.trimEnd(), true)));
  });
}
