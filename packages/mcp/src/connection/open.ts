import { setImmediate } from "node:timers/promises";
import { HaftError } from "@haft/core/tool";
import { haftErrorIn, rootOf } from "@haft/host/net";
import type { Watchdog } from "@haft/host/process";
import type {
  CallToolRequest,
  CallToolRequestOptions,
  CallToolResult,
  Client,
  InputRequiredResult,
  Transport,
} from "@modelcontextprotocol/client";
import type { Browser } from "../auth/browser.ts";
import { loginNeedIn } from "../auth/need.ts";
import type { TokenStore } from "../auth/token-store.ts";
import { withLogin } from "../auth/with-login.ts";
import { DefaultJsonSchemaValidator } from "../sdk/platform.ts";
import type { HttpReach, Reach } from "../server.ts";
import type { Quiet } from "../starts-in-turn.ts";
import type { HttpLine } from "../transport/http.ts";
import { inOrder } from "../transport/in-order.ts";
import { httpWords, inShort } from "../transport/in-short.ts";
import { type LogTail, withLastWords } from "../transport/log-tail.ts";
import type { Program } from "../transport/server-process.ts";
import { type StdioTransport, stdioTransport } from "../transport/stdio.ts";
import { abortableWait } from "./abortable-wait.ts";
import { type AnswerParts, type Answers, createAnswers } from "./answers.ts";
import type { EraStore } from "./era-store.ts";
import { hearTasks } from "./task-answers.ts";

/** The surroundings of a connection. */
export interface Surroundings extends Pick<AnswerParts, "roots" | "elicit" | "sample"> {
  /** Our name for servers. */
  readonly client: { readonly name: string; readonly version: string };
  readonly watchdog: Watchdog;
  readonly eras: EraStore;
  readonly maxMessageBytes: number;
  /** Milliseconds until a server must have answered its first request. */
  readonly startTimeoutMs: number;
  readonly tokens: TokenStore;
  /** Awaited before the SDK is loaded. */
  readonly quiet?: Quiet;
  /** Asks a person to log in. Absent: a server that requires a login fails with a message. */
  readonly browser?: Browser;
}

/** An open connection. */
export interface Live {
  readonly client: Client;
  /** Calls a tool, once: the answer may be a question. */
  call(
    params: CallToolRequest["params"],
    options: CallToolRequestOptions,
  ): Promise<CallToolResult | InputRequiredResult>;
  /** The last words of the process, once it has ended. */
  death(): string | undefined;
  /** Lines on standard output that are not part of the protocol. */
  noise(): number;
  /** Whether the server continues when the connection breaks: a program ends with it. */
  readonly isOutlived: boolean;
  /** Answers questions of the server that belong to a task. */
  readonly answer: Answers["answer"];
  /** Asks a person to log in, if possible; then the request may be repeated. */
  readonly logIn?: HttpLine["logIn"];
  close(): Promise<void>;
}

export interface OpenRequest extends Pick<AnswerParts, "name" | "maySample" | "onQuestion"> {
  readonly reach: Reach;
  readonly log: LogTail;
  /** Puts a program in its sandbox. */
  readonly confine?: NonNullable<Program["confine"]>;
  readonly signal: AbortSignal;
  readonly onClose: () => void;
}

/** Timeout in milliseconds for a server's first answer in the newer protocol. After it the server counts as an older one. */
const PROBE_MS = 5_000;

/** HTTP answers of a server that only knows the predecessor of streamable HTTP. */
const NOT_STREAMABLE = new Set([400, 404, 405]);

/** Opens a connection in the protocol version that the server speaks. */
export async function open(request: OpenRequest, around: Surroundings): Promise<Live> {
  const { reach } = request;
  if (reach.kind !== "stdio") return openHttp(request, reach, around);
  const { watchdog, maxMessageBytes } = around;
  const { confine } = request;
  const program = { ...reach, watchdog, log: request.log, maxMessageBytes, ...(confine ? { confine } : {}) };
  const start = (era: "auto" | "legacy") => attempt(request, around, stdioTransport(program), era);
  const key = JSON.stringify([reach.command, reach.args]);
  if (around.eras.isLegacy(key)) return start("legacy");
  try {
    const live = await start("auto");
    if (live.client.getProtocolEra() === "legacy") around.eras.remember(key);
    return live;
  } catch (thrown) {
    if (!diedOfProbe(thrown)) throw thrown;
    // A server that exits at an unknown message speaks the older protocol. It gets a fresh process.
    const live = await start("legacy");
    around.eras.remember(key);
    return live;
  }
}

async function openHttp(request: OpenRequest, reach: HttpReach, around: Surroundings): Promise<Live> {
  await turnToLoad(request, around);
  const { httpLine } = await import("../transport/http.ts");
  const { tokens, browser, maxMessageBytes } = around;
  const line = httpLine({ name: request.name, reach, maxMessageBytes, tokens, ...(browser ? { browser } : {}) });
  const login = line.canLogIn ? { logIn: line.logIn } : {};
  try {
    const live = await withLogin(login, request.signal, () => openOver(line, request, reach, around));
    return { ...live, ...login, close: () => live.close().finally(line.close) };
  } catch (thrown) {
    await line.close();
    throw thrown;
  }
}

async function openOver(line: HttpLine, request: OpenRequest, reach: HttpReach, around: Surroundings): Promise<Live> {
  const over = async (kind: "http" | "sse", era: "auto" | "legacy") =>
    attempt(request, around, await line.transport(kind), era);
  if (reach.kind === "sse") return over("sse", "legacy");
  const { eras } = around;
  // A verdict may be outdated: a server that no longer speaks the older protocol is probed again.
  if (eras.isLegacy(reach.url)) {
    const live = await over("http", "legacy").catch((thrown) => {
      if (loginNeedIn(thrown) || request.signal.aborted) throw thrown;
    });
    if (live) return live;
  }
  try {
    const live = await over("http", "auto");
    if (live.client.getProtocolEra() === "legacy") eras.remember(reach.url);
    return live;
  } catch (thrown) {
    // Some old servers do not answer an unknown request at all.
    if (isSilence(thrown)) {
      const live = await over("http", "legacy");
      eras.remember(reach.url);
      return live;
    }
    if (!NOT_STREAMABLE.has(httpStatusOf(thrown) ?? 0)) throw thrown;
    return over("sse", "legacy").catch((second: unknown) => {
      // If there is an event stream, the reason why it is unusable says more.
      throw /^SSE error/.test(rootOf(second)) ? thrown : second;
    });
  }
}

const isSilence = (thrown: unknown): boolean =>
  ((thrown as Error).cause as { readonly code?: unknown } | undefined)?.code === "REQUEST_TIMEOUT";

async function attempt(
  request: OpenRequest,
  around: Surroundings,
  transport: Transport | StdioTransport,
  era: "auto" | "legacy",
): Promise<Live> {
  // The program starts while the SDK is loaded.
  if ("launch" in transport) transport.launch();
  try {
    await turnToLoad(request, around);
  } catch (thrown) {
    await transport.close();
    throw thrown;
  }
  const { Client, specTypeSchemas } = await import("../sdk/sdk.ts");
  const answers = createAnswers({ ...around, ...request });
  const client = new Client(around.client, {
    capabilities: answers.capabilities,
    jsonSchemaValidator: new DefaultJsonSchemaValidator(),
    versionNegotiation: { mode: era, probe: { timeoutMs: Math.min(PROBE_MS, around.startTimeoutMs) } },
  });
  answers.register(client);
  hearTasks(transport);
  inOrder(transport);
  client.setNotificationHandler("notifications/message", ({ params }) => {
    request.log.add(
      `[${params.level}] ${typeof params.data === "string" ? params.data : JSON.stringify(params.data)}\n`,
    );
  });
  client.onerror = (error) => request.log.add(`[protocol] ${error.message.slice(0, 500)}\n`);
  const death = () => ("death" in transport ? transport.death : undefined);
  try {
    await connect(client, transport, era, request, around);
  } catch (thrown) {
    await transport.close().catch(() => {});
    throw explained(thrown, death(), request);
  }
  client.onclose = request.onClose;
  // It may have exited since its last answer.
  if (death() !== undefined) request.onClose();
  const isOutlived = !("death" in transport);
  const noise = () => ("noise" in transport ? transport.noise : 0);
  return {
    client,
    call(params, options) {
      const asking = { ...options, allowInputRequired: true } as const;
      // Over HTTP the SDK may have to put arguments into headers. For other connections, passing a schema saves the SDK from looking for
      // one on each call, which costs as much as checking the answer.
      if (isOutlived) return client.callTool(params, asking);
      return client.request({ method: "tools/call", params }, specTypeSchemas.CallToolResult, asking);
    },
    death,
    noise,
    isOutlived,
    answer: answers.answer,
    close: () => transport.close().catch(() => {}),
  };
}

/** Loading the SDK delays all who wait for a turn. A server that is given up meanwhile does not need it. */
async function turnToLoad({ signal }: OpenRequest, { quiet }: Surroundings): Promise<void> {
  await setImmediate();
  signal.throwIfAborted();
  await abortableWait(Promise.resolve(quiet?.("load")), signal);
}

async function connect(
  client: Client,
  transport: Transport,
  era: "auto" | "legacy",
  { name, signal, log, reach }: OpenRequest,
  { startTimeoutMs }: Surroundings,
): Promise<void> {
  const late = AbortSignal.timeout(startTimeoutMs);
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const onLate = () =>
    reject(
      new HaftError({
        code: "mcp_error",
        message: withLastWords(
          `The MCP server "${name}" did not answer within ${startTimeoutMs} ms after its start.`,
          log,
        ),
        hint:
          reach.kind === "stdio"
            ? "Start its command by hand to see what it is waiting for."
            : "Check its address, and that it runs.",
      }),
    );
  const onStop = () => reject(signal.reason);
  late.addEventListener("abort", onLate, { once: true });
  signal.addEventListener("abort", onStop, { once: true });
  if (signal.aborted) onStop();
  try {
    const options = { timeout: startTimeoutMs };
    const handshake = client.connect(transport, era === "legacy" ? { ...options, prior: { kind: "legacy" } } : options);
    handshake.catch(() => {});
    await Promise.race([handshake, stopped]);
  } finally {
    late.removeEventListener("abort", onLate);
    signal.removeEventListener("abort", onStop);
  }
}

const diedOfProbe = (thrown: unknown): boolean =>
  HaftError.is(thrown) && (thrown.details as { duringProbe?: boolean } | undefined)?.duringProbe === true;

/** The HTTP status of an SDK error, if it has one. A status in a server's own error, which has a number, does not count. */
export function httpStatusOf(thrown: unknown): number | undefined {
  const cause = thrown instanceof Error ? (thrown.cause ?? thrown) : thrown;
  const { code, data } = (cause ?? {}) as { readonly code?: unknown; readonly data?: { readonly status?: unknown } };
  return typeof code !== "number" && typeof data?.status === "number" ? data.status : undefined;
}

/** Why the connection failed, with the last words of the server. */
function explained(thrown: unknown, death: string | undefined, { name, log, reach, confine }: OpenRequest): HaftError {
  const own = haftErrorIn(thrown);
  if (own) return own;
  const status = httpStatusOf(thrown);
  const message = status === undefined ? inShort(rootOf(thrown)) : httpWords(status, rootOf(thrown));
  const why = death === undefined ? message : `it ${death}`;
  return new HaftError(
    {
      code: "mcp_error",
      message: withLastWords(`The MCP server "${name}" cannot be reached: ${why}`, log),
      hint: confine ? (death?.endsWith("exit code 127") ? NOT_FOUND : CONFINED) : cure(reach, status),
      details: {
        duringProbe: death !== undefined && /probe/.test(message),
        ...(status === undefined ? {} : { status }),
      },
    },
    { cause: thrown },
  );
}

const CONFINED =
  "It runs in the sandbox: no network, it writes only in the workspace, and sees no temporary folders except its own program. Add the folders it needs to permissions.additionalDirectories, or remove sandbox from its settings.";

/** A shell ends with 127 where it finds no program. */
const NOT_FOUND =
  "It found no program of that name. Install it; or, because the sandbox shows only some folders, add the folder that it is in to permissions.additionalDirectories.";

function cure(reach: Reach, status: number | undefined): string {
  if (status === 401 || status === 403) return "It requires credentials: set the Authorization header in its settings.";
  if (reach.kind === "stdio") return "Start its command by hand to see more, or correct it in the settings.";
  return "Check its address, and that it runs.";
}
