import { modes } from "../decision.ts";
import { profileNames } from "../toolset/index.ts";
import { MODE_ALIASES } from "./mode-name.ts";
import type { Shape } from "./shape.ts";

/** The events after which user code may run, as the documented hooks protocol names them. */
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

/** An event that hooks of the settings are for. */
export type HookEventName = (typeof HOOK_EVENTS)[number];

/** What becomes of a call whose guard (a PreToolUse hook) failed: a person is asked, it is denied, it goes on. */
export const HOOK_FAILURES = ["ask", "deny", "pass"] as const;

/** The same for one hook, where `block` and `continue` are the documented words for `deny` and `pass`. */
const ONE_HOOKS_FAILURES = [...HOOK_FAILURES, "block", "continue"] as const;

/** Where WebSearch can search. */
export const SEARCH_PROVIDERS = ["brave", "tavily", "exa", "searxng", "duckduckgo"] as const;

const object = (
  description: string,
  properties: Readonly<Record<string, Shape>>,
  rest: Shape | false = false,
): Shape => ({
  type: "object",
  description,
  properties,
  additionalProperties: rest,
});
const flag = (description: string): Shape => ({ type: "boolean", description });
const text = (description: string): Shape => ({ type: "string", minLength: 1, description });
const count = (description: string, minimum = 1): Shape => ({ type: "integer", minimum, description });
const word = (description: string, values: readonly string[]): Shape => ({ type: "string", enum: values, description });
const list = (description: string): Shape => ({ type: "array", items: { type: "string", minLength: 1 }, description });
const map = (description: string, values: Shape): Shape => object(description, {}, values);
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
  profile: word("Which tools exist at all.", profileNames),
  allow: list("Only these tools and groups exist. An empty list means none."),
  deny: list("These tools and groups do not exist."),
};

const toolSetting = {
  enabled: flag("Whether the tool exists."),
  autoExecute: flag("Whether a read-only call that would ask by default runs unasked."),
};

const bash = {
  enableSandbox: flag("Run commands in a sandbox; without one, refuse."),
  defaultWorkingDirectory: text("The folder in which work starts when the host names none."),
  allowedDirectories: list("Further folders in which files may be read and written like in the workspace."),
  confirmDangerousCommands: flag("Ask before commands that change something. Default true."),
  dangerousCommandWhitelist: list("Commands that need no question, matched by their words."),
};

const toolAgent = object("The agent that a tool starts. Has no effect yet.", {
  autoConfirmDangerous: flag("Answer its questions with yes, within the rules of its parent. Default false."),
  maxToolCalls: count("Most calls that it may make."),
  timeoutMs: count("Milliseconds that it may take."),
  providerId: text("The provider of its model."),
  model: text("Its model. Default: the model of its parent."),
});

const hook: Shape = {
  ...object("User code around a call.", {
    type: word("How it runs.", ["command", "http", "mcp_tool", "prompt", "agent"]),
    if: text("A permission rule; the hook runs only for calls that it hits."),
    timeout: count("Seconds."),
    statusMessage: text("What is shown while it runs."),
    once: flag("Run it one time in a session."),
    onFailure: word("What becomes of the event when it fails. Default for calls: hooks.onFailure.", ONE_HOOKS_FAILURES),
    command: text("A shell command, or with args a program."),
    args: { type: "array", items: { type: "string" }, description: "Arguments; no shell then." },
    shell: text("The shell for the command."),
    async: flag("Do not wait for it."),
    asyncRewake: flag("Wake the model when it ends with exit code 2."),
    url: text("Where the event is posted."),
    headers: map("Headers of the request.", { type: "string" }),
    allowedEnvVars: list("Environment variables that headers may use."),
    server: text("The MCP server of the tool."),
    tool: text("The tool to call."),
    input: { type: "object", description: "Its input.", additionalProperties: {} },
    prompt: text("What a model is asked."),
    model: text("Which model."),
    continueOnBlock: flag("Go on after a block."),
  }),
  required: ["type"],
};

const hookGroup: Shape = {
  ...object("Hooks for the calls that a matcher hits.", {
    matcher: { type: "string", description: "A tool name, several split by |, or a regular expression. Absent: all." },
    hooks: { type: "array", items: hook, description: "What runs." },
  }),
  required: ["hooks"],
};

const mcpServer = object("An MCP server: a command to start, or a URL.", {
  type: word("How it is reached.", ["stdio", "http", "sse"]),
  command: text("The program to start."),
  args: { type: "array", items: { type: "string" }, description: "Its arguments." },
  env: map("Environment variables for it.", { type: "string" }),
  cwd: text("The folder in which it starts."),
  url: text("Its address."),
  headers: map("Headers of every request.", { type: "string" }),
  enabled: flag("Whether it is connected."),
  trusted: flag("Whether its hints about its tools count."),
  startTimeoutMs: count("Milliseconds that it has to start."),
  callTimeoutMs: count("Milliseconds that a call may be silent."),
  timeoutMs: count("Another spelling of callTimeoutMs."),
  allowedTools: list("The only tools of it that exist, by the server's own names."),
  disabledTools: list("Tools of it that do not exist."),
  alwaysLoad: flag("Offer its tools at once instead of on demand."),
  sandbox: flag("Start it confined: it writes the workspace only, reads nothing private, and has no network."),
  sampling: flag("Lets it ask the session's model, each time after a person has seen what for."),
  oauth: object("How people log in, where the server does not say everything itself.", {
    grant: word("Who logs in: a person (authorization_code, the default), or the client by itself.", [
      "authorization_code",
      "client_credentials",
    ]),
    clientId: text("The client that is registered for Haft."),
    clientSecret: text("Its secret, if it has one."),
    privateKeyFile: text("The file of the key by which it proves who it is, instead of a secret."),
    clientMetadataUrl: text("The address of a document that describes Haft as a client."),
    issuer: text("The only authorization server that may be used."),
    scope: text("Scopes to ask for where the server names none."),
    callbackPort: count("The port at which people come back."),
  }),
});

const sandboxTier = word(
  "What is confined. readers (default): commands proved to only read; auto: all, where a sandbox works; bwrap: all, or refused.",
  ["auto", "readers", "bwrap", "srt", "none"],
);

/** The settings file as JSON Schema (draft 2020-12): what editors complete and what `parseSettings` holds files to. */
export const SETTINGS_SCHEMA = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Haft settings",
  ...object("Settings of Haft. Comments and trailing commas are allowed.", {
    $schema: { type: "string", description: "For editors." },
    permissions: object("Rules and the mode.", {
      allow: list("Calls that need no question."),
      ask: list("Calls that always ask."),
      deny: list("Calls that never happen."),
      tests: {
        type: "array",
        description: "What rules of this file mean, checked when it is loaded.",
        items: {
          ...object("Calls that a rule has to hit, and calls that it must not.", {
            rule: text("A rule of this file, as written there."),
            match: testedCalls("Calls that it hits."),
            not_match: testedCalls("Calls that it does not hit."),
          }),
          required: ["rule"],
        },
      },
      defaultMode: word("The mode in which a session starts.", [...modes, ...Object.keys(MODE_ALIASES)]),
      disableBypassPermissionsMode: word("Nobody enters mode bypassPermissions.", ["disable"]),
      additionalDirectories: list("Further folders that count as workspace."),
    }),
    policy: object("Which tools exist. Profile, allow and deny each only remove.", toolPolicy),
    tools: object(
      "Settings of single tools by name. profile, allow and deny here are read as policy.",
      {
        ...toolPolicy,
        Bash: object("The shell tool; the keys of the top-level bash are read here too.", { ...toolSetting, ...bash }),
        bash: object("The shell tool; the keys of the top-level bash are read here too.", { ...toolSetting, ...bash }),
      },
      object("One tool.", toolSetting),
    ),
    enableToolCalls: flag("false: no tools at all."),
    useTools: {
      description: "The only tools that exist; null means all.",
      anyOf: [{ type: "array", items: { type: "string", minLength: 1 } }, { type: "null" }],
    },
    bash: object("The shell.", bash),
    shell: object("How commands find their terminal and environment.", {
      columns: count("Its width in characters."),
      rows: count("Its height in lines."),
      pager: text("The program that shows long texts. Default cat."),
      color: flag("Tell programs to use colours, or not to."),
      env: map("Further variables. Those by which code gets into programs are refused.", { type: "string" }),
    }),
    toolAgent,
    toolAgentSettings: { ...toolAgent, description: "Another spelling of toolAgent." },
    hooks: object("User code around calls and other events.", {
      ...Object.fromEntries(
        HOOK_EVENTS.map((event) => [event, { type: "array", items: hookGroup, description: `At ${event}.` } as const]),
      ),
      onFailure: word("What becomes of a call whose PreToolUse hook failed. Default ask.", HOOK_FAILURES),
    }),
    mcpServers: map("MCP servers by name.", mcpServer),
    server: object("Haft as a server for other programs.", {
      tools: word("Whose tools are served. Default own.", ["own", "servers", "all"]),
      clients: map(
        "Clients by name, * for all others. Each key takes away from what the session may do.",
        object("One client.", {
          ...toolPolicy,
          rules: object("Further rules.", {
            ask: list("Calls that always ask."),
            deny: list("Calls that never happen."),
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
              "Hosts that commands reach besides those they were granted, *.example.org or 10.0.0.0/8 too; true: the whole network.",
            anyOf: [{ type: "boolean" }, { type: "array", items: { type: "string", minLength: 1 } }],
          },
          limits: object("What one command may use.", {
            processes: count("Most processes at a time. Default 4096."),
            memoryMB: count("Address space of each process in megabytes. Default: no limit."),
          }),
        }),
      ],
    },
    model: text("provider/name of the model."),
    concurrency: word("Which calls of a batch run together.", ["effects", "partition", "strict"]),
    maxConcurrent: count("Most calls that run at the same time. Default 10."),
    batching: flag("Tell the model that it may make independent calls in one turn. Default true."),
    gates: map("Features that are switched on or off by name: toolSearch. Others have no effect.", {
      anyOf: [{ type: "boolean" }, { type: "string" }],
    }),
    discovery: object("Tools that a program names and runs. Has no effect yet.", {
      command: commandLine("Prints the tools as JSON."),
      callCommand: commandLine("Runs one: its name as the argument, the input on stdin."),
    }),
    flow: word("The information-flow rule. Has no effect yet.", ["enforce", "off"]),
    journal: object("What calls change in files, kept so that it can be undone.", {
      enabled: flag("Keep it. Default true."),
      bytes: count("Bytes of old content that are kept; the oldest is dropped first. Default 1 GiB.", 1_000_000),
      head: {
        description:
          "Where the head of the records goes when a session ends, so that a rewritten record is found: a file elsewhere, or a program with its arguments that reads it.",
        anyOf: [
          { type: "string", minLength: 1 },
          { type: "array", items: { type: "string", minLength: 1 }, minItems: 1 },
        ],
      },
    }),
    web: object("What the web tools may reach and use.", {
      privateHosts: list(
        "Hosts of private networks and of this machine that tools may reach: localhost:3000, 192.168.1.7, 10.0.0.0/8. Ignored in project settings.",
      ),
      search: object("The provider of WebSearch.", {
        provider: word("Default: the first one whose key is set.", SEARCH_PROVIDERS),
        url: text("Its address, for a SearXNG of your own."),
        apiKey: text("Its key. Default: the provider's environment variable, such as BRAVE_API_KEY."),
      }),
      browser: object("The browser of WebBrowser.", {
        executable: text("The Chromium or Chrome to start. Default: the one that is installed."),
        logins: list(
          "Domains where the browser keeps you logged in between sessions. Default: none. Ignored in project settings.",
        ),
      }),
    }),
    budgets: object("How much of a result the model gets.", {
      resultChars: count("Characters of one result, for tools without a limit of their own. Default 100000."),
      batchChars: count("Characters of all results of one batch. Default 200000."),
      tools: map(
        "Characters of one result, by tool, over the tool's own limit; tools of MCP servers by their full name.",
        { type: "integer", minimum: 1 },
      ),
    }),
  }),
} satisfies Shape & Readonly<Record<string, unknown>>;
