import { modes } from "../decision.ts";
import { GATES, profileNames } from "../toolset/index.ts";
import { MODE_ALIASES } from "./mode-name.ts";
import type { Shape } from "./shape.ts";
import { count, flag, list, map, object, text, word } from "./shape-words.ts";
import { toolAgent } from "./tool-agent.ts";

/** The events that may run user code, as the documented hooks protocol names them. */
export const HOOK_EVENTS = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "PermissionRequest",
  "PermissionDenied",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "SessionStart",
  "SessionEnd",
  "Setup",
  "Stop",
  "StopFailure",
  "SubagentStart",
  "SubagentStop",
  "TaskCreated",
  "TaskCompleted",
  "TeammateIdle",
  "PreCompact",
  "PostCompact",
  "PreModelSwitch",
  "PostModelSwitch",
  "ConfigChange",
  "CwdChanged",
  "DirectoryAdded",
  "FileChanged",
  "InstructionsLoaded",
  "Notification",
  "MessageDisplay",
  "WorktreeCreate",
  "WorktreeRemove",
  "Elicitation",
  "ElicitationResult",
] as const;

/** An event that settings may attach hooks to. */
export type HookEventName = (typeof HOOK_EVENTS)[number];

/** The decision for a call whose guard (a PreToolUse hook) failed: ask a person, deny it, let it pass. */
export const HOOK_FAILURES = ["ask", "deny", "pass"] as const;

/** The same for one hook, with the documented words `block` and `continue` for `deny` and `pass`. */
const ONE_HOOKS_FAILURES = [...HOOK_FAILURES, "block", "continue"] as const;

/** Where WebSearch can search. */
export const SEARCH_PROVIDERS = [
  "brave",
  "tavily",
  "exa",
  "searxng",
  "duckduckgo",
  "anthropic",
  "openai",
  "google",
] as const;

const testedCalls = (description: string): Shape => ({
  type: "array",
  description,
  items: {
    anyOf: [
      text("A command for Bash."),
      {
        ...object("A call of any tool.", { tool: text("Its name."), input: map("Its input.", {}) }),
        required: ["tool"],
      },
    ],
  },
});
const commandLine = (description: string): Shape => ({
  description,
  anyOf: [
    { type: "string", minLength: 1 },
    { type: "array", items: { type: "string" }, minItems: 1 },
  ],
});

const toolPolicy = {
  profile: word("A named set of tools.", profileNames),
  allow: list("Only these tools and groups are available. An empty list means none."),
  deny: list("Tools and groups to remove."),
};

const toolSetting = {
  enabled: flag("Whether the tool is available."),
  autoExecute: flag("Run read-only calls that would ask by default without asking."),
};

const bash = {
  enableSandbox: flag("Run every command in a sandbox, and refuse where none works."),
  defaultWorkingDirectory: text("The start folder if the host does not set one."),
  allowedDirectories: list("More folders with the same access as the workspace."),
  confirmDangerousCommands: flag("Ask before commands that change something. Default true."),
  dangerousCommandWhitelist: list("Commands that run without asking, matched word by word."),
};

const hook: Shape = {
  ...object("User code around a call.", {
    type: word("How it runs.", ["command", "http", "mcp_tool", "prompt", "agent"]),
    if: text("A permission rule; the hook runs only for calls that match it."),
    timeout: count("Seconds."),
    statusMessage: text("The text to show while it runs."),
    once: flag("Run it once a session."),
    onFailure: word("Effect of its failure. Default for calls: hooks.onFailure.", ONE_HOOKS_FAILURES),
    command: text("A shell command, or with args a program."),
    args: { type: "array", items: { type: "string" }, description: "Arguments; no shell then." },
    shell: text("The shell for the command."),
    async: flag("Do not wait for it."),
    asyncRewake: flag("Wake the model when it ends with exit code 2."),
    url: text("The address to which the event is posted."),
    headers: map("Headers of the request.", { type: "string" }),
    allowedEnvVars: list("Environment variables that headers may use."),
    server: text("The MCP server of the tool."),
    tool: text("The tool to call."),
    input: { type: "object", description: "Its input.", additionalProperties: {} },
    prompt: text("The prompt for the model."),
    model: text("Which model."),
    continueOnBlock: flag("Continue after a block."),
  }),
  required: ["type"],
};

const hookGroup: Shape = {
  ...object("Hooks for calls that match.", {
    matcher: { type: "string", description: "A tool name, several split by |, or a regular expression. Absent: all." },
    hooks: { type: "array", items: hook, description: "The hooks to run." },
  }),
  required: ["hooks"],
};

const mcpServer = object("An MCP server: a command to start, or a URL.", {
  type: word("How it is reached.", ["stdio", "http", "sse"]),
  command: text("The program to start."),
  args: { type: "array", items: { type: "string" }, description: "Its arguments." },
  env: map("Environment variables for it.", { type: "string" }),
  cwd: text("Its working directory."),
  url: text("Its address."),
  headers: map("Headers of every request.", { type: "string" }),
  enabled: flag("Whether it is connected."),
  trusted: flag("Whether its hints about its tools count."),
  startTimeoutMs: count("Start timeout in milliseconds."),
  callTimeoutMs: count("Timeout in milliseconds for a call without progress."),
  timeoutMs: count("Alias of callTimeoutMs."),
  allowedTools: list("The tools to use, by the server's own names. Default: all."),
  disabledTools: list("Tools to hide."),
  alwaysLoad: flag("Offer its tools immediately instead of on demand."),
  sandbox: flag("Start it confined: it writes the workspace only, reads nothing private, and has no network."),
  sampling: flag("Let it send prompts to the session's model, each after confirmation."),
  oauth: object("Login options, where the server does not advertise them.", {
    grant: word(
      "The party that logs in: a person (authorization_code, the default), or the client itself (client_credentials).",
      ["authorization_code", "client_credentials"],
    ),
    clientId: text("The client id registered for Haft."),
    clientSecret: text("Its secret, if it has one."),
    privateKeyFile: text("A private key file for authentication, instead of a secret."),
    clientMetadataUrl: text("The address of a client metadata document for Haft."),
    issuer: text("The only authorization server that may be used."),
    scope: text("Scopes to request if the server does not name any."),
    callbackPort: count("The port of the redirect address after login."),
  }),
});

const sandboxTier = word(
  "The commands to confine. readers (default): those proved to only read; auto: all, where a sandbox works; bwrap: all, refused where none works.",
  ["auto", "readers", "bwrap", "srt", "none"],
);

/** The settings file as JSON Schema (draft 2020-12), for completion in editors and for `parseSettings`. */
export const SETTINGS_SCHEMA = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Haft settings",
  ...object("Settings of Haft. Comments and trailing commas are allowed.", {
    $schema: { type: "string", description: "For editors." },
    permissions: object("Permission rules and the default mode.", {
      allow: list("Calls that run without asking."),
      ask: list("Calls that always ask."),
      deny: list("Calls that are refused."),
      tests: {
        type: "array",
        description: "Tests of this file's rules, checked when it is loaded.",
        items: {
          ...object("Calls that a rule must match, and calls that it must not match.", {
            rule: text("A rule of this file, as written there."),
            match: testedCalls("Calls that it must match."),
            not_match: testedCalls("Calls that it must not match."),
          }),
          required: ["rule"],
        },
      },
      defaultMode: word("The mode a session starts in.", [...modes, ...Object.keys(MODE_ALIASES)]),
      disableBypassPermissionsMode: word("Disables the mode bypassPermissions.", ["disable"]),
      additionalDirectories: list("More folders that belong to the workspace."),
    }),
    policy: object("Which tools are available. Each of profile, allow and deny only removes tools.", toolPolicy),
    tools: object(
      "Settings of single tools by name. The keys profile, allow and deny are read as policy.",
      {
        ...toolPolicy,
        Bash: object("The shell tool. Also takes the keys of the top-level bash.", { ...toolSetting, ...bash }),
        bash: object("The shell tool. Also takes the keys of the top-level bash.", { ...toolSetting, ...bash }),
      },
      object("One tool.", toolSetting),
    ),
    enableToolCalls: flag("false turns all tools off."),
    useTools: {
      description: "The only tools that are available; null means all.",
      anyOf: [{ type: "array", items: { type: "string", minLength: 1 } }, { type: "null" }],
    },
    bash: object("The shell.", bash),
    shell: object("The terminal and environment of commands.", {
      columns: count("Terminal width in characters."),
      rows: count("Terminal height in lines."),
      pager: text("The pager. Default cat."),
      color: flag("Tell programs to use colours, or not to."),
      env: map("More environment variables. Variables that inject code into programs are refused.", {
        type: "string",
      }),
    }),
    toolAgent,
    toolAgentSettings: { ...toolAgent, description: "Alias of toolAgent." },
    hooks: object("Programs of yours that run around calls and on other events.", {
      ...Object.fromEntries(
        HOOK_EVENTS.map((event) => [event, { type: "array", items: hookGroup, description: `At ${event}.` } as const]),
      ),
      onFailure: word("Decision when a PreToolUse hook fails. Default ask.", HOOK_FAILURES),
    }),
    mcpServers: map("MCP servers by name.", mcpServer),
    mcpRegistry: text("The address of the MCP registry that `haft mcp search` and `haft mcp add` ask."),
    lsp: map(
      "Language servers by name. The name of a known one (typescript, pyright, gopls, rust-analyzer, clangd) changes that one.",
      object("One language server.", {
        command: text("The program."),
        args: list("Its arguments."),
        extensions: list("The extensions of its files, such as .ts."),
        initializationOptions: map("Options to start it with.", {}),
        env: map("Environment variables.", { type: "string" }),
        enabled: flag("false turns it off. Default true."),
        diagnostics: flag("Report the errors that it finds in a file after each edit, while it runs. Default true."),
        timeoutMs: count("Milliseconds to wait for an answer. Default 30000."),
        sandbox: flag("Start it confined. Default: if commands are confined."),
      }),
    ),
    server: object("Haft as a server for other programs.", {
      tools: word("Which tools are served. Default own.", ["own", "servers", "all"]),
      clients: map(
        "Profiles by client name; * is for all others. Each key only restricts.",
        object("One client.", {
          ...toolPolicy,
          rules: object("Further rules.", {
            ask: list("Calls that always ask."),
            deny: list("Calls that are refused."),
          }),
          mode: word("A stricter mode.", [...modes, ...Object.keys(MODE_ALIASES)]),
        }),
      ),
    }),
    sandbox: {
      description: "How commands are confined.",
      anyOf: [
        sandboxTier,
        object("Confinement in detail.", {
          tier: sandboxTier,
          network: {
            description:
              "Extra hosts that every command may reach, such as *.example.org or 10.0.0.0/8; true opens the whole network.",
            anyOf: [{ type: "boolean" }, { type: "array", items: { type: "string", minLength: 1 } }],
          },
          limits: object("Limits for one command.", {
            processes: count("Maximum number of processes at a time. Default 4096."),
            memoryMB: count("Maximum address space of each process in megabytes. Default: no limit."),
          }),
        }),
      ],
    },
    model: text("The model, as provider/name."),
    dialect: {
      description:
        "Tool names that the model knows: claude, gemini, antigravity, codex, opencode@1, opencode@2, openclaw or sema; or one for each model by a pattern of its name. Default claude.",
      anyOf: [
        { type: "string", minLength: 1 },
        { type: "object", additionalProperties: { type: "string", minLength: 1 } },
      ],
    },
    concurrency: word("Which calls of a batch run together.", ["effects", "partition", "strict"]),
    maxConcurrent: count("Maximum number of calls that run at the same time. Default 10."),
    batching: flag("Tell the model that it may make independent calls in one turn. Default true."),
    gates: map(
      `Features to turn on or off by name: ${GATES.map(({ name }) => name).join(", ")}; and userType, the type of the user.`,
      {
        anyOf: [{ type: "boolean" }, { type: "string" }],
      },
    ),
    discovery: object("Tools that a program lists and runs. Command lines are not passed to a shell.", {
      command: commandLine("Prints the tools as JSON."),
      callCommand: commandLine("Runs a tool: its name as the argument, the input on stdin."),
    }),
    flow: word("The information-flow rule. Has no effect yet.", ["enforce", "off"]),
    journal: object("The record of file changes that undo uses.", {
      enabled: flag("Keep it. Default true."),
      tier: word("How commands are captured. Default: the first that works.", ["view", "clone", "direct"]),
      bytes: count("Maximum bytes of old content; the oldest is dropped first. Default 1 GiB.", 1_000_000),
      head: {
        description:
          "The receiver of the record's head at the end of a session, so that a rewritten record is detected: a file elsewhere, or a program with arguments that reads it from stdin.",
        anyOf: [
          { type: "string", minLength: 1 },
          { type: "array", items: { type: "string", minLength: 1 }, minItems: 1 },
        ],
      },
    }),
    channels: map(
      "Ways to reach people with the tool message, by name. Ignored in project settings until it is trusted.",
      {
        ...object("One channel.", {
          type: word("The kind of service.", ["webhook", "file", "smtp", "slack", "discord", "telegram"]),
          url: text(
            "The address of the webhook or of the mail server (smtp://user@host:587), or of a server like the service's.",
          ),
          file: text("For type file: each message is appended as a line of JSON."),
          token: text("The key or password."),
          tokenEnv: text("The environment variable that holds the key or password."),
          to: text("The default recipient."),
          from: text("For mail: the sender."),
          subject: text("For mail: the default subject."),
        }),
        required: ["type"],
      },
    ),
    sessions: object("Which sessions of this user see each other, and how long they are stored.", {
      visibility: word(
        "self: none. tree, the default: sessions that it started, and those that started it. all: every session.",
        ["self", "tree", "all"],
      ),
      maxHops: count("Maximum length of a chain of messages between sessions. Default 5."),
      keepDays: count(
        "Days to keep a session after its last write. 0: forever. Default 90, or 0 with journal.head.",
        0,
      ),
      keepCount: count(
        "Maximum number of stored sessions a folder; the oldest are deleted. 0, the default: no limit.",
        0,
      ),
    }),
    web: object("Hosts and services of the web tools.", {
      privateHosts: list(
        "Hosts of private networks and of this machine that tools may reach: localhost:3000, 192.168.1.7, 10.0.0.0/8. Ignored in project settings.",
      ),
      robots: flag(
        "WebFetch obeys the robots.txt of a site. Default false: a person or their agent wants this one page.",
      ),
      model: text(
        "provider/name of a small model that answers the prompt of WebFetch. Default: none, the page is returned.",
      ),
      search: object("The provider of WebSearch.", {
        provider: word(
          "Default: the first one whose variable is set, then the provider of the model.",
          SEARCH_PROVIDERS,
        ),
        url: text("Its address, for a SearXNG of your own or a proxy."),
        apiKey: text("Its key. Default: the provider's environment variable, such as BRAVE_API_KEY."),
      }),
      browser: object("The browser of WebBrowser.", {
        executable: text("The Chromium or Chrome to start. Default: the installed one."),
        logins: list(
          "Domains where the browser keeps you logged in between sessions. Default: none. Ignored in project settings.",
        ),
      }),
    }),
    compaction: object("The summary that replaces a long conversation.", {
      auto: flag("Summarize when the conversation fills the model's context. Default true."),
      contextTokens: count(
        "Tokens that the model can read. Default: known for models of Anthropic, OpenAI and Google.",
      ),
    }),
    budgets: object("Limits on the size of results.", {
      resultChars: count("Maximum characters of one result, for tools without their own limit. Default 100000."),
      batchChars: count("Maximum characters of all results of one batch. Default 200000."),
      tools: map(
        "Maximum characters of one result by tool; overrides the tool's own limit. Name tools of MCP servers in full.",
        { type: "integer", minimum: 1 },
      ),
    }),
  }),
} satisfies Shape & Readonly<Record<string, unknown>>;
