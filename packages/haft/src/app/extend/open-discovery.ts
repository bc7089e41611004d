import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Broker } from "@haft/core/approval";
import type { Registration, Registry } from "@haft/core/registry";
import { run } from "@haft/core/tool";
import { commandWords, declarationsIn, discoveredTool, runProgram } from "@haft/plugins";
import { openStateFile } from "@haft/service";
import type { NoticeListener } from "../notice.ts";
import type { Setup } from "../setup/setup.ts";

/** Milliseconds and bytes for the program that lists tools. */
const LIST_MS = 30_000;
const MOST_BYTES = 10_000_000;

/** Milliseconds for which a request waits for the list. Tools that come later are in the next one. */
const PATIENCE_MS = 1_500;

export interface Discovery {
  /** Resolves when the tools are there, after a short wait, or when a person is asked. */
  ready(): Promise<void>;
  /** Runs the program again. Tools that it no longer lists go; if it fails, all stay. */
  again(): Promise<void>;
  close(): void;
}

export interface DiscoveryParts {
  readonly setup: Setup;
  readonly registry: Registry;
  readonly broker: Broker;
  readonly onNotice: NoticeListener;
}

/** Starts the program of the settings that lists tools. One that a project names starts only after a person has seen it. */
export function openDiscovery({ setup, registry, broker, onNotice }: DiscoveryParts): Discovery {
  const { settings, cwd, options } = setup;
  const { command, callCommand } = settings.discovery ?? {};
  if (command === undefined || options.lookOnly || options.tools === "read-only")
    return { ready: async () => {}, again: async () => {}, close() {} };
  const ending = new AbortController();
  const asked = Promise.withResolvers<void>();
  const known: Registration[] = [];
  const notice = (message: string, cure?: string): void =>
    onNotice({
      code: "tool_discovery",
      severity: "warning",
      source: "discovery.command",
      message,
      ...(cure ? { cure } : {}),
    });

  async function discover(): Promise<void> {
    if (callCommand === undefined)
      return notice("It has no callCommand, so its tools cannot be called.", "Set discovery.callCommand.");
    const [list, call] = [commandWords(command!), commandWords(callCommand)];
    if (!(await mayStart(setup, broker, list, ending.signal, asked.resolve)))
      return notice("The tool discovery program was not started: nobody approved it.");
    const ended = await runProgram(list, {
      ...{ cwd, timeoutMs: LIST_MS, mostBytes: MOST_BYTES, signal: ending.signal },
      ...(options.env && Object.keys(options.env).length > 0 ? { env: { ...process.env, ...options.env } } : {}),
    });
    if (ending.signal.aborted) return;
    if (ended.how === "failed") return notice(`The tool discovery program listed no tools: ${ended.why}.`);
    if (ended.code !== 0)
      return notice(`The tool discovery program ended with exit code ${ended.code}: ${ended.stderr.slice(0, 500)}`);
    const { tools, problems } = declarationsIn(ended.stdout);
    for (const problem of problems) notice(`${list.join(" ")}: ${problem}.`);
    for (const registration of known.splice(0)) registration.remove();
    for (const tool of tools) {
      try {
        const added = registry.add({ origin: "discovered", name: "discovery" }, [discoveredTool(tool, call)]);
        known.push(added);
        for (const { message, hint } of added.refused) notice(message, hint);
      } catch (thrown) {
        notice(`The tool ${tool.name} cannot be used: ${(thrown as Error).message}`);
      }
    }
  }

  const run = (): Promise<void> =>
    discover().catch((thrown: unknown) => notice(thrown instanceof Error ? thrown.message : String(thrown)));
  let whole = run();
  return {
    async ready() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, PATIENCE_MS).unref();
      });
      await Promise.race([whole, late, asked.promise]);
      clearTimeout(timer);
    },
    again() {
      whole = whole.then(run);
      return whole;
    },
    close: () => ending.abort(),
  };
}

/** Whether the program may start: one of the user's own may, one of a project after a yes, which is remembered. */
async function mayStart(
  { settings, discoveryOrigin, past, state, workspace, cwd }: Setup,
  broker: Broker,
  argv: readonly string[],
  signal: AbortSignal,
  onAsk: () => void,
): Promise<boolean> {
  if (discoveryOrigin !== "project") return true;
  const digest = createHash("sha256")
    .update(JSON.stringify([settings.discovery, cwd]))
    .digest("hex");
  const file = openStateFile<string>(past && join(past.state.workspace(workspace.root), "discovery-consent.json"), {
    readOnly: state === undefined,
  });
  if (file.get("command") === digest) return true;
  const reason = "A project's tool discovery program needs confirmation before it starts.";
  onAsk();
  const outcome = await broker.ask(
    {
      ...{
        callId: "discovery",
        agent: { id: "main" },
        tool: "discovery",
        title: "Start this project's tool discovery",
      },
      input: { command: argv },
      effects: [run({ argv, text: argv.join(" "), cwd })],
      show: { kind: "text", text: argv.join(" ") },
      ...{ why: reason, destructive: false, suggestions: [] },
    },
    { decision: "ask", reason, trace: [], suggestions: [], grant: { effects: [], holes: [] } },
    signal,
  );
  if (outcome.status !== "answered" || outcome.answer.behavior !== "allow") return false;
  file.set("command", digest);
  return true;
}
