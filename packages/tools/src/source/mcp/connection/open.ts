import { HaftError } from "@haft/core/tool";
import type { Client, ElicitRequestFormParams, ElicitResult, Transport } from "@modelcontextprotocol/client";
import type { Reach } from "../server.ts";
import { httpTransport } from "../transport/http.ts";
import type { LogTail } from "../transport/log-tail.ts";
import { type StdioTransport, stdioTransport } from "../transport/stdio.ts";
import type { Watchdog } from "../transport/watchdog.ts";
import type { EraStore } from "./era-store.ts";

/** What a connection needs of its surroundings. */
export interface Surroundings {
  /** How we name ourselves to servers. */
  readonly client: { readonly name: string; readonly version: string };
  /** The folders that servers are told of as roots. */
  readonly roots: readonly { readonly uri: string; readonly name: string }[];
  readonly watchdog: Watchdog;
  readonly eras: EraStore;
  readonly maxMessageBytes: number;
  /** Milliseconds until a server must have answered its first request. */
  readonly startTimeoutMs: number;
  /** Brings a server's question to a person. Absent: the capability is not offered. */
  elicit?(server: string, question: ElicitRequestFormParams, signal: AbortSignal): Promise<ElicitResult>;
}

/** A connection that has been opened. */
export interface Live {
  readonly client: Client;
  /** What the process said as its last, once it has ended. */
  death(): string | undefined;
  close(): Promise<void>;
}

export interface OpenRequest {
  readonly name: string;
  readonly reach: Reach;
  readonly log: LogTail;
  readonly signal: AbortSignal;
  /** Called around a server's question to a person: calls in progress wait without losing time. */
  readonly onQuestion: () => () => void;
  readonly onClose: () => void;
}

/** Milliseconds that a server has for the first word of the newer protocol, before it is taken for an older one. */
const PROBE_MS = 5_000;

/** HTTP answers that a server gives which only knows the forerunner of streamable HTTP. */
const NOT_STREAMABLE = new Set([400, 404, 405]);

/** Opens a connection in whichever era the server speaks. */
export async function open(request: OpenRequest, around: Surroundings): Promise<Live> {
  const { reach } = request;
  if (reach.kind !== "stdio") return openHttp(request, around);
  const key = JSON.stringify([reach.command, reach.args]);
  if (around.eras.isLegacy(key)) return attempt(request, around, "stdio", "legacy");
  try {
    const live = await attempt(request, around, "stdio", "auto");
    if (live.client.getProtocolEra() === "legacy") around.eras.remember(key);
    return live;
  } catch (thrown) {
    if (!diedOfProbe(thrown)) throw thrown;
    // A server that ends at a word it does not know speaks the older protocol. It gets a fresh process.
    const live = await attempt(request, around, "stdio", "legacy");
    around.eras.remember(key);
    return live;
  }
}

async function openHttp(request: OpenRequest, around: Surroundings): Promise<Live> {
  if (request.reach.kind === "sse") return attempt(request, around, "sse", "legacy");
  try {
    return await attempt(request, around, "http", "auto");
  } catch (thrown) {
    if (!NOT_STREAMABLE.has(httpStatusOf(thrown) ?? 0)) throw thrown;
    return attempt(request, around, "sse", "legacy").catch(() => {
      throw thrown;
    });
  }
}

async function attempt(
  request: OpenRequest,
  around: Surroundings,
  kind: "stdio" | "http" | "sse",
  era: "auto" | "legacy",
): Promise<Live> {
  const { Client } = await import("@modelcontextprotocol/client");
  const { elicit, client: self } = around;
  const client = new Client(self, {
    capabilities: { roots: { listChanged: false }, ...(elicit ? { elicitation: { form: {} } } : {}) },
    versionNegotiation: { mode: era, probe: { timeoutMs: Math.min(PROBE_MS, around.startTimeoutMs) } },
  });
  client.setRequestHandler("roots/list", () => ({ roots: [...around.roots] }));
  if (elicit) {
    client.setRequestHandler("elicitation/create", async ({ params }, ctx) => {
      if (params.mode === "url") return { action: "decline" };
      const resume = request.onQuestion();
      try {
        return await elicit(request.name, params, ctx.mcpReq.signal);
      } finally {
        resume();
      }
    });
  }
  client.setNotificationHandler("notifications/message", ({ params }) => {
    request.log.add(
      `[${params.level}] ${typeof params.data === "string" ? params.data : JSON.stringify(params.data)}\n`,
    );
  });
  client.onerror = (error) => request.log.add(`[protocol] ${error.message.slice(0, 500)}\n`);
  const transport = await transportFor(kind, request, around);
  const death = () => ("death" in transport ? transport.death : undefined);
  try {
    await connect(client, transport, era, request, around);
  } catch (thrown) {
    await transport.close().catch(() => {});
    throw explained(thrown, death(), request);
  }
  client.onclose = request.onClose;
  // It may have ended between its last answer and here.
  if (death() !== undefined) request.onClose();
  return { client, death, close: () => transport.close().catch(() => {}) };
}

async function connect(
  client: Client,
  transport: Transport,
  era: "auto" | "legacy",
  { name, signal }: OpenRequest,
  { startTimeoutMs }: Surroundings,
): Promise<void> {
  const late = AbortSignal.timeout(startTimeoutMs);
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const onLate = () =>
    reject(
      new HaftError({
        code: "mcp_error",
        message: `The MCP server "${name}" did not answer within ${startTimeoutMs} ms of its start.`,
        hint: "Start its command by hand to see what it waits for.",
      }),
    );
  const onStop = () => reject(new HaftError({ code: "cancelled", message: "The connection was given up." }));
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

function transportFor(
  kind: "stdio" | "http" | "sse",
  { reach, log }: OpenRequest,
  { watchdog, maxMessageBytes }: Surroundings,
): Promise<Transport> | StdioTransport {
  if (reach.kind === "stdio") return stdioTransport({ ...reach, watchdog, log, maxMessageBytes });
  return httpTransport(kind === "sse" ? "sse" : "http", { ...reach, maxMessageBytes });
}

const diedOfProbe = (thrown: unknown): boolean =>
  HaftError.is(thrown) && (thrown.details as { duringProbe?: boolean } | undefined)?.duringProbe === true;

/** The HTTP status behind an error of the SDK, if there is one. */
export function httpStatusOf(thrown: unknown): number | undefined {
  const cause = thrown instanceof Error ? (thrown.cause ?? thrown) : thrown;
  const status = (cause as { data?: { status?: unknown } } | undefined)?.data?.status;
  return typeof status === "number" ? status : undefined;
}

/** Why there is no connection, with the server's own last words. */
function explained(thrown: unknown, death: string | undefined, { name, log, reach }: OpenRequest): HaftError {
  if (HaftError.is(thrown)) return thrown as HaftError;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const status = httpStatusOf(thrown);
  const said = log.text();
  const why = death === undefined ? message : `it ${death}`;
  return new HaftError(
    {
      code: "mcp_error",
      message: `The MCP server "${name}" cannot be reached: ${why}${said === "" ? "" : `\nIts last words:\n${said}`}`,
      hint: cure(reach, status),
      details: {
        duringProbe: death !== undefined && /probe/.test(message),
        ...(status === undefined ? {} : { status }),
      },
    },
    { cause: thrown },
  );
}

function cure(reach: Reach, status: number | undefined): string {
  if (status === 401 || status === 403) return "It wants credentials: set the Authorization header in its settings.";
  if (reach.kind === "stdio") return "Start its command by hand to see more, or correct it in the settings.";
  return "Check its address, and whether it runs.";
}
