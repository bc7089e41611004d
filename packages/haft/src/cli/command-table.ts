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
      "run [PROMPT] [--model provider/name] [--agent NAME] [--max-turns N] [--max-cost N] [-c | -r ID] [--fork] [--record FILE]",
    summary: "run one prompt, with what is piped in; the answer goes to standard output",
    load: async () => (await import("./command/agent/run.ts")).run,
  },
  {
    name: "call",
    usage: "call TOOL [JSON|-] [--dry-run]",
    summary: "one call through the whole pipeline",
    load: async () => (await import("./command/call.ts")).call,
  },
  {
    name: "batch",
    usage: "batch [FILE|-] [--dry-run]",
    summary: "calls as JSON lines; a line with an array is one batch",
    load: async () => (await import("./command/batch.ts")).batch,
  },
  {
    name: "explain",
    usage: "explain TOOL [JSON|-]  or  explain --jsonl FILE|-",
    summary: "what would be decided, and why; runs nothing",
    load: async () => (await import("./command/explain.ts")).explain,
  },
  {
    name: "tools",
    usage: "tools list|show NAME|search QUERY [--all] [--catalog FILE] [--jsonl FILE|-]",
    summary: "the tools, with schema, effects and cost; with --jsonl each line that is not blank is a search",
    load: async () => (await import("./command/tools.ts")).tools,
  },
  {
    name: "models",
    usage: "models [--json]",
    summary: "the models that can be used now: by keys, and from programs on this machine",
    load: async () => (await import("./command/agent/models.ts")).models,
  },
  {
    name: "log",
    usage: "log [--session ID|last] [--calls] [--diff [CALL]] [--cassette]  or  log verify  or  log prune [--days N]",
    summary: "what a session did and changed; and whether its records are whole",
    load: async () => (await import("./command/log.ts")).log,
  },
  {
    name: "sessions",
    usage: "sessions [list] | export ID|last [--json] | delete ID",
    summary: "the conversations of this folder: list, export as Markdown or JSON, delete",
    load: async () => (await import("./command/agent/sessions.ts")).sessions,
  },
  {
    name: "approvals",
    usage:
      "approvals list [--all] | show ID | allow ID [--always session|project|user|server|tool] [--input JSON] | deny ID [--message TEXT]",
    summary: "questions of agents and schedules that run, or ran, elsewhere, in every folder",
    load: async () => (await import("./command/approvals/approvals.ts")).approvals,
  },
  {
    name: "schedule",
    usage:
      'schedule add "0 3 * * *" PROMPT [--name NAME] [--zone ZONE] [--deadline MINUTES] [--model NAME] [--yes]\n' +
      "       haft schedule [list] | status ID | run [ID] | pause ID | resume ID | remove ID [--json]",
    summary: "prompts that run at given times, with the rights that you approved; run without an ID runs them",
    load: async () => (await import("./command/schedule/schedule.ts")).schedule,
  },
  {
    name: "memory",
    usage: "memory [list] | show ID | keep ID | remove ID | blame [ID] | undo [ID] [--json]",
    summary: "facts that sessions saved for later ones: where each comes from, and taking changes back",
    load: async () => (await import("./command/memory/memory.ts")).memory,
  },
  {
    name: "undo",
    usage: "undo [--call ID | --turn N | --to ID | --all] [--session ID] [--force] [--preview] [--json]",
    summary: "take back what a call changed in files; by default the last that changed any",
    load: async () => (await import("./command/journal/undo.ts")).undo,
  },
  {
    name: "redo",
    usage: "redo [--call ID] [--session ID] [--force] [--preview] [--json]",
    summary: "do again what was undone last, or apply what a call's command had held back",
    load: async () => (await import("./command/journal/redo.ts")).redo,
  },
  {
    name: "held",
    usage: "held [list] | show ID | commit ID [--force] | discard ID [--json]",
    summary: "what commands changed in their view and was not applied: look at it, apply it, throw it away",
    load: async () => (await import("./command/journal/held.ts")).held,
  },
  {
    name: "replay",
    usage: "replay CASSETTE",
    summary: "a recorded session through the real tools",
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
    summary: "MCP server on stdio or HTTP, under the same policy; or the servers whose tools are used",
    load: async () => (await import("./command/mcp.ts")).mcp,
  },
  {
    name: "serve",
    usage: "serve [--port N] [--host ADDRESS] [--token-file FILE] [--model provider/name] [--open]",
    summary: "the web console, and an API over HTTP and WebSocket, for the sessions of a folder",
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
    usage: "workers [list] | drain ID | key FILE  --queue redis://HOST:PORT [--key-file FILE] [--name QUEUE]",
    summary: "a queue and its workers: list them, drain one, make a key",
    load: async () => (await import("./command/queue/workers.ts")).workers,
  },
  {
    name: "acp",
    usage: "acp [--model provider/name]",
    summary: "the agent for editors that speak the Agent Client Protocol, on standard input and output",
    load: async () => (await import("./command/agent/acp.ts")).acp,
  },
  {
    name: "plugin",
    usage:
      "plugin add SOURCE [--config KEY=VALUE]... [--yes] [--unconfined] | list | show NAME | update [NAME] [--yes]\n" +
      "       plugin configure NAME [--config KEY=VALUE]... | remove NAME\n" +
      "       plugin marketplace add SOURCE | list | remove MARKET\n" +
      "       SOURCE: a folder, an archive or its address, github:owner/name, a git address, an npm package, or NAME@MARKET",
    summary: "plugins: what each may do, before anything of it runs",
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
    summary: "Haft's decisions for another agent: the program that it calls before a tool runs",
    load: async () => (await import("./command/hook/hook.ts")).hook,
  },
  {
    name: "trust",
    usage: "trust [DIR]",
    summary: "let a folder's settings loosen as well as tighten",
    load: async () => (await import("./command/trust.ts")).trust,
  },
  {
    name: "doctor",
    usage: "doctor",
    summary: "what this machine offers, and what is missing",
    load: async () => (await import("./command/doctor.ts")).doctor,
  },
];

/** The text of `haft --help`. */
export function helpText(): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    "Usage: haft [PROMPT] [--model provider/name] [--plain]   talk to the agent",
    "       haft -p PROMPT [options]                         print one answer; docs/print-mode.md",
    "       haft -c | -r [ID] [--fork]                       go on with the last conversation, or another one",
    "       haft COMMAND [options]",
    "",
    "Commands:",
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    "",
    ...commonHelp,
    "",
    "`haft COMMAND --help` tells more about one.",
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
  "  --no-user-settings   leave the user's settings out",
  "  --trust              let the folder's settings loosen, this time",
  "  --session ID|last    go on with a session: its conversation, answers and undo",
  "  --wait               with nobody at the terminal, wait until haft approvals answers",
  "  --dialect NAME       names that the model calls tools by: gemini, codex, opencode ...",
  "  --queue ADDRESS      run calls on the workers of this queue: redis://HOST:PORT",
  "  --key-file FILE      the key that signs what goes through the queue",
  "  --json               for programs",
  "  -h, --help           this text",
  "  -v, --version        print the version",
];
