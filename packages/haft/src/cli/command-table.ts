import { ADD_USAGE } from "./command/mcp-servers/usage.ts";
import type { Command } from "./command.ts";

/** A command of `haft`: its summary, its usage and the loader of its code. */
export interface CommandEntry {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  load(): Promise<Command>;
}

/** Every command. Code is loaded when a command runs, so that short commands start fast. */
export const commands: readonly CommandEntry[] = [
  {
    name: "run",
    usage:
      "run [PROMPT] [--model provider/name] [--agent NAME] [--max-turns N] [--max-cost N] [-c | -r ID] [--fork] [--record FILE]\n" +
      "       [--remote ADDRESS [--remote-node PATH]]",
    summary: "run one prompt, plus piped input, and print the answer",
    load: async () => (await import("./command/agent/run.ts")).run,
  },
  {
    name: "call",
    usage: "call TOOL [JSON|-] [--dry-run] [--remote ADDRESS [--remote-node PATH]]",
    summary: "make one tool call",
    load: async () => (await import("./command/call.ts")).call,
  },
  {
    name: "batch",
    usage: "batch [FILE|-] [--dry-run] [--remote ADDRESS [--remote-node PATH]]",
    summary: "make calls read as JSON lines; an array on a line is one batch",
    load: async () => (await import("./command/batch.ts")).batch,
  },
  {
    name: "explain",
    usage: "explain TOOL [JSON|-] [--remote ADDRESS]  or  explain --jsonl FILE|-",
    summary: "show the decision about a call and its reason; runs nothing",
    load: async () => (await import("./command/explain.ts")).explain,
  },
  {
    name: "tools",
    usage: "tools list|show NAME|search QUERY [--all] [--catalog FILE] [--jsonl FILE|-]",
    summary:
      "list, show and search tools: schema, effects, cost; --jsonl reads one search per line, except blank lines",
    load: async () => (await import("./command/tools.ts")).tools,
  },
  {
    name: "models",
    usage: "models [--json]",
    summary: "list the models available now: through keys, and from local servers",
    load: async () => (await import("./command/agent/models.ts")).models,
  },
  {
    name: "log",
    usage: "log [--session ID|last] [--calls] [--diff [CALL]] [--cassette]  or  log verify  or  log prune [--days N]",
    summary: "show a session's calls and changes; verify or prune records",
    load: async () => (await import("./command/log.ts")).log,
  },
  {
    name: "sessions",
    usage: "sessions [list] | export ID|last [--json] | delete ID",
    summary: "list, export (Markdown or JSON) and delete the conversations of this folder",
    load: async () => (await import("./command/agent/sessions.ts")).sessions,
  },
  {
    name: "approvals",
    usage:
      "approvals list [--all] | show ID | allow ID [--always session|project|user|server|tool] [--input JSON] | deny ID [--message TEXT]",
    summary: "answer questions of agents and schedules that run elsewhere, in any folder",
    load: async () => (await import("./command/approvals/approvals.ts")).approvals,
  },
  {
    name: "schedule",
    usage:
      'schedule add "0 3 * * *" PROMPT [--name NAME] [--zone ZONE] [--deadline MINUTES] [--model NAME] [--yes]\n' +
      "       haft schedule [list] | status ID | run [ID] | pause ID | resume ID | remove ID [--json]",
    summary:
      "prompts that run at set times with rights you approved; `schedule run` without an ID starts the scheduler",
    load: async () => (await import("./command/schedule/schedule.ts")).schedule,
  },
  {
    name: "memory",
    usage: "memory [list] | show ID | keep ID | remove ID | blame [ID] | undo [ID] [--json]",
    summary: "facts saved for later sessions: list, trace their origin, undo changes",
    load: async () => (await import("./command/memory/memory.ts")).memory,
  },
  {
    name: "undo",
    usage:
      "undo [--call ID | --turn N | --to ID | --all] [--session ID] [--force] [--preview] [--json] [--remote ADDRESS]",
    summary: "undo the file changes of a call; by default, the last one",
    load: async () => (await import("./command/journal/undo.ts")).undo,
  },
  {
    name: "redo",
    usage: "redo [--call ID] [--session ID] [--force] [--preview] [--json] [--remote ADDRESS]",
    summary: "redo the last undo, or apply a call's held changes",
    load: async () => (await import("./command/journal/redo.ts")).redo,
  },
  {
    name: "held",
    usage: "held [list] | show ID | commit ID [--force] | discard ID [--json]",
    summary: "list, show, commit or discard changes that were held back from commands",
    load: async () => (await import("./command/journal/held.ts")).held,
  },
  {
    name: "replay",
    usage: "replay CASSETTE",
    summary: "run a recorded session through the real tools again",
    load: async () => (await import("./command/agent/replay.ts")).replay,
  },
  {
    name: "mcp",
    usage:
      "mcp [--gateway] [--client NAME] [--module FILE]\n       haft mcp --http [--port N] [--host ADDRESS] " +
      "[--token-file FILE | --no-token] [--stateless] [--gateway] [--module FILE]\n" +
      ADD_USAGE.map((line) => `       haft ${line}\n`).join("") +
      "       haft mcp search WORDS [--limit N] [--json]\n" +
      "       haft mcp list | get NAME | remove NAME [--scope SCOPE] | approve NAME | forget NAME | logs NAME\n" +
      "       haft mcp add-json NAME JSON [--scope SCOPE] | import PROGRAM [--scope SCOPE] [--yes]\n" +
      "       haft mcp install PROGRAM [--gateway] [--project] [--name NAME] [--remove] [--yes]\n" +
      "       haft mcp login NAME | logout NAME | prompts | prompt COMMAND [ARGUMENTS]",
    summary: "serve Haft's tools over MCP (stdio or HTTP); manage the MCP servers whose tools Haft uses",
    load: async () => (await import("./command/mcp.ts")).mcp,
  },
  {
    name: "serve",
    usage: "serve [--port N] [--host ADDRESS] [--token-file FILE] [--model provider/name] [--open]",
    summary: "serve the web console and an HTTP and WebSocket API for the sessions of a folder",
    load: async () => (await import("./command/serve.ts")).serve,
  },
  {
    name: "worker",
    usage:
      "worker --queue redis://HOST:PORT --key-file FILE [--workspace DIR,DIR] [--label NAME,NAME]\n" +
      "       [--concurrency N] [--store DIR] [--name QUEUE]",
    summary: "take calls from a queue and run them on this machine",
    load: async () => (await import("./command/queue/worker.ts")).worker,
  },
  {
    name: "workers",
    usage:
      "workers [list] | watch | drain ID | key FILE  --queue redis://HOST:PORT [--key-file FILE]\n" +
      "       [--name QUEUE]",
    summary: "list the workers of a queue, follow its events, drain one, make a key",
    load: async () => (await import("./command/queue/workers.ts")).workers,
  },
  {
    name: "acp",
    usage: "acp [--model provider/name]",
    summary: "serve the agent to editors over the Agent Client Protocol (stdio)",
    load: async () => (await import("./command/agent/acp.ts")).acp,
  },
  {
    name: "plugin",
    usage:
      "plugin add SOURCE [--config KEY=VALUE]... [--yes] [--unconfined] | list | show NAME | update [NAME] [--yes]\n" +
      "       plugin configure NAME [--config KEY=VALUE]... | remove NAME\n" +
      "       plugin marketplace add SOURCE | list | remove MARKET\n" +
      "       SOURCE: a folder, an archive or its address, github:owner/name, a git address, an npm package, or NAME@MARKET",
    summary: "add and manage plugins; shows what each may do before any of it runs",
    load: async () => (await import("./command/plugin/plugin.ts")).plugin,
  },
  {
    name: "policy",
    usage:
      "policy lint [FILE] | test FILE | import PEER FILE [--write] [--leave-reads] [--tests FILE] |\n" +
      "       export AGENT FILE [--leave-denies] | replay SESSION|last",
    summary: "check, test, import, export and replay rules",
    load: async () => (await import("./command/policy/policy.ts")).policy,
  },
  {
    name: "hook",
    usage: "hook claude|codex|gemini|opencode|copilot|cursor  or  hook install|remove|status AGENT [--project] [--yes]",
    summary: "let Haft decide the calls of another agent, through its hooks",
    load: async () => (await import("./command/hook/hook.ts")).hook,
  },
  {
    name: "trust",
    usage: "trust [DIR]",
    summary: "trust a folder: its settings may then allow more, not only less",
    load: async () => (await import("./command/trust.ts")).trust,
  },
  {
    name: "doctor",
    usage: "doctor",
    summary: "check this machine: model, sandbox, undo, settings, missing programs",
    load: async () => (await import("./command/doctor.ts")).doctor,
  },
];

/** The text of `haft --help`. */
export function helpText(): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    "Usage: haft [PROMPT] [--model provider/name] [--plain]   talk to the agent",
    "       haft -p PROMPT [options]                         print one answer; docs/print-mode.md",
    "       haft --remote ssh://HOST/FOLDER [PROMPT]         talk to it about a folder of another machine",
    "       haft -c | -r [ID] [--fork]                       continue the last conversation, or another one",
    "       haft COMMAND [options]",
    "",
    "Commands:",
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    "",
    ...commonHelp,
    "",
    "`haft COMMAND --help` shows the usage of one command.",
  ].join("\n");
}

/** The text of `haft COMMAND --help`. */
export const commandHelp = ({ usage, summary }: CommandEntry): string =>
  [`Usage: haft ${usage}`, "", `${summary[0]!.toUpperCase()}${summary.slice(1)}.`, "", ...commonHelp].join("\n");

const commonHelp: readonly string[] = [
  "Options:",
  "  --cwd DIR            work in this folder",
  "  --mode MODE          default, acceptEdits, undoable, plan, dontAsk, bypassPermissions",
  "  --allow, --ask, --deny RULE   one more rule; may be repeated",
  "  --settings FILE      read this settings file too",
  "  --no-user-settings   ignore the user's settings",
  "  --trust              trust the folder's settings, this time only",
  "  --session ID|last    continue a session: its conversation, answers and undo",
  "  --wait               without a terminal, wait for an answer through haft approvals",
  "  --dialect NAME       tool names that the model knows: gemini, codex, opencode ...",
  "  --queue ADDRESS      run calls on the workers of this queue: redis://HOST:PORT, or a JSON file",
  "  --key-file FILE      the key that signs messages in the queue",
  "  --json               print JSON",
  "  -h, --help           this text",
  "  -v, --version        print the version",
];
