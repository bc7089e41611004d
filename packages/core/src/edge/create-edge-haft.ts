import {
  type ApprovalRecord,
  aiSdk,
  aiSdk6,
  anthropic,
  gemini,
  openai,
  openaiChat,
  type Toolbox,
} from "../adapter/index.ts";
import { type Answer, type ApprovalRequest, type Asker, createBroker, type Receipt } from "../approval/index.ts";
import { type ForeignTool, fromForeign } from "../compat/foreign/index.ts";
import {
  type BatchOptions,
  type CallEvent,
  type CallOutcome,
  type CallRequest,
  createExecutor,
  type Executor,
  type Explanation,
  type Machine,
  type OpenBatch,
} from "../executor/index.ts";
import { createFilesJournal, type HostPorts, memoryHost, type UndoResult } from "../host/index.ts";
import { createPolicy, type Mode, type RuleSource } from "../policy/index.ts";
import { createOffers, createRegistry, type Offer, type Registry } from "../registry/index.ts";
import { createClock, fail, type Net, type Ports, type Result, type ToolLike, unknown } from "../tool/index.ts";

/** Options of a Haft for the edge. */
export interface EdgeOptions {
  /** Your tools. Tools of other SDKs are taken as they are. */
  readonly tools: readonly (ToolLike | ForeignTool)[];
  readonly rules?: Readonly<Partial<Record<"allow" | "ask" | "deny", readonly string[]>>>;
  readonly mode?: Mode;
  /** Answers calls that need approval; `host` for `pending()` and `answer()`. Without it they are denied. */
  readonly ask?: Asker | "host";
  /** The files and programs that tools work on. Default: files in memory, no programs. */
  readonly host?: HostPorts;
  /** The folder to work in. Default `/work`. */
  readonly cwd?: string;
  /** The network for tools. Default: none. It gets only calls that the policy allows. */
  readonly net?: Net;
  /** Receives events of calls. */
  readonly onEvent?: (event: CallEvent) => void;
}

/** The formats of model APIs. */
export interface EdgeFormats {
  anthropic: ReturnType<typeof anthropic>;
  openai: ReturnType<typeof openai>;
  "openai-chat": ReturnType<typeof openaiChat>;
  gemini: ReturnType<typeof gemini>;
  "ai-sdk": ReturnType<typeof aiSdk>;
  "ai-sdk-6": ReturnType<typeof aiSdk6>;
}

/** Haft without Node: one pipeline, policy and approvals for your own tools. */
export interface EdgeHaft {
  readonly registry: Registry;
  /** The tools in the format of a model API. */
  for<F extends keyof EdgeFormats>(format: F): EdgeFormats[F];
  /** For adapters of your own. */
  readonly toolbox: Toolbox;
  call(
    tool: string,
    input: unknown,
    options?: { readonly id?: string; readonly signal?: AbortSignal },
  ): Promise<Result>;
  open(options?: BatchOptions): OpenBatch;
  run(calls: readonly CallRequest[], options?: BatchOptions): Promise<readonly CallOutcome[]>;
  offer(): Promise<Offer>;
  explain(tool: string, input: unknown): Promise<Explanation>;
  pending(): readonly ApprovalRequest[];
  answer(id: string, answer: Answer, by?: string): Receipt;
  /** Undoes the changes of a call to files; without an id, of the last call that changed any. */
  undo(call?: string): Promise<UndoResult>;
  redo(call?: string): Promise<UndoResult>;
}

/**
 * Haft for runtimes without Node, such as Cloudflare Workers: your own tools, on a host in memory or one that you bring.
 *
 * @throws HaftError `validation_failed` for an invalid rule or tool.
 */
export function createEdgeHaft(options: EdgeOptions): EdgeHaft {
  const { cwd = "/work", host = memoryHost(), ask } = options;
  const ports = portsOf(host, options.net);
  const registry = registryOf(options);
  const policy = policyOf(options, cwd);
  const broker = createBroker({
    askers: typeof ask === "function" ? [{ name: "user", ask }] : [],
    hostAnswers: ask === "host",
    clock: ports.clock,
    newId: () => crypto.randomUUID(),
  });
  const journal = createFilesJournal(host.files);
  const session = { id: crypto.randomUUID() };
  const agent = { id: "main" };
  const machine: Machine = {
    ...{ registry, ports, agent, session, journal, approvals: broker, home: "/home" },
    available: () => true,
    policy: () => policy,
    cwd: () => cwd,
    offerContext: () => ({ cwd, agent, platform: "edge", ports: new Set(Object.keys(ports)), mode: policy.mode }),
    ...(options.onEvent ? { listener: options.onEvent } : {}),
    seen: new Map(),
  };
  const executor = createExecutor(machine);
  const offers = createOffers({ registry, available: machine.available, context: machine.offerContext });
  const hostAsks = typeof ask !== "function";
  const asked = askedCalls();
  const toolbox = toolboxOf(executor, () => offers.now(), { asks: hostAsks, record: asked });
  const scope = (call: string | undefined) => ({ session: session.id, ...(call === undefined ? {} : { call }) });
  return {
    registry,
    toolbox,
    for(format) {
      const known: { [F in keyof EdgeFormats]: () => EdgeFormats[F] } = {
        anthropic: () => anthropic(toolbox),
        openai: () => openai(toolbox),
        "openai-chat": () => openaiChat(toolbox),
        gemini: () => gemini(toolbox),
        "ai-sdk": () => aiSdk(toolbox, { hostAsks, record: asked }),
        "ai-sdk-6": () => aiSdk6(toolbox, { hostAsks, record: asked }),
      };
      if (Object.hasOwn(known, format)) return known[format]();
      return fail("validation_failed", `There is no format "${format}".`, `Known: ${Object.keys(known).join(", ")}.`);
    },
    async call(tool, input, { id = crypto.randomUUID(), signal } = {}) {
      const [outcome] = await executor.run([{ id, tool, input }], signal ? { signal } : {});
      return outcome!.result;
    },
    open: (batch) => executor.open(batch),
    run: (calls, batch) => executor.run(calls, batch),
    offer: () => offers.current(),
    explain: (tool, input) => executor.explain({ id: "explain", tool, input }),
    pending: () => broker.pending().map(({ request }) => request),
    answer: (id, answer, by = "host") => broker.answer(id, answer, by),
    undo: (call) => journal.undo(scope(call)),
    redo: (call) => journal.redo(scope(call)),
  };
}

function registryOf({ tools }: EdgeOptions): Registry {
  const registry = createRegistry();
  const own = tools.flatMap((tool, at): readonly ToolLike[] => fromForeign(tool, `tools[${at}]`) ?? [tool as ToolLike]);
  const { refused } = registry.add({ origin: "custom", name: "host" }, own);
  if (refused[0]) fail("validation_failed", refused[0].message, refused[0].hint);
  return registry;
}

function policyOf({ rules = {}, mode = "default" }: EdgeOptions, cwd: string) {
  const texts = (["deny", "ask", "allow"] as const).flatMap((behavior) =>
    (rules[behavior] ?? []).map((text): RuleSource => ({ behavior, origin: "cli", text })),
  );
  const workspace = { root: cwd, startedIn: cwd, cwd, home: "/home", additional: [], platform: "linux" };
  const policy = createPolicy({ rules: texts, mode, workspace });
  const [problem] = policy.problems.filter(({ severity }) => severity === "error");
  if (problem) fail("validation_failed", `${problem.rule}: ${problem.message}`, problem.cure);
  return policy;
}

function portsOf(host: HostPorts, net: Net = NO_NETWORK): Ports {
  const values = new Map<string, unknown>();
  return {
    files: host.files,
    processes: host.processes,
    net: host.net ?? net,
    clock: host.clock ?? createClock(),
    state: {
      get: <T>(name: string) => values.get(name) as T | undefined,
      set: (name, value) => void values.set(name, value),
    },
    ...(host.jobs ? { jobs: host.jobs } : {}),
  };
}

const NO_NETWORK: Net = {
  fetch: async () => fail("fetch_failed", "This host has no network.", "Give createEdgeHaft the option `net`."),
};

function toolboxOf(executor: Executor, offer: () => Offer, host: NonNullable<Toolbox["host"]>): Toolbox {
  return {
    offer,
    host,
    open: (options) => executor.open(options),
    async decide(request) {
      const { decision, contents, error } = await executor.explain(request);
      if (decision) return { ...decision, ...(contents ? { contents } : {}) };
      const reason = error?.message ?? "No decision could be made about the call.";
      return {
        ...{ decision: "deny", reason, trace: [], suggestions: [] },
        ...(error ? { code: error.code } : {}),
        grant: { effects: [unknown(reason)], holes: [] },
      };
    },
  };
}

function askedCalls(): ApprovalRecord {
  const asked = new Map<string, string>();
  return {
    asked: (callId, question) => void asked.set(callId, question),
    has: (callId, question) => asked.get(callId) === question,
    spend: (callId) => void asked.delete(callId),
  };
}
