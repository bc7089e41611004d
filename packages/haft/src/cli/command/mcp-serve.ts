import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Haft } from "../../app/haft.ts";
import { noticeBoard } from "../../app/notice.ts";
import { oneLine, visible } from "../../draw/sanitize.ts";
import type { ServedModule } from "../../server/mcp/content.ts";
import type { Serving } from "../../server/mcp/serving.ts";
import type { Command } from "../command.ts";
import { drawNotice } from "../draw-notice.ts";
import { EXIT, UsageError } from "../exit-code.ts";
import { openHaft } from "../open-haft.ts";
import { type CommonOptions, readOptions } from "../options.ts";
import { onInterrupt } from "../terminal/interrupt.ts";
import { packageVersion } from "../version.ts";

const OPTIONS = {
  http: "boolean",
  port: "string",
  host: "string",
  "token-file": "string",
  "no-token": "boolean",
  stateless: "boolean",
  gateway: "boolean",
  client: "string",
  module: "string",
} as const;

type Own = ReturnType<typeof readOptions<typeof OPTIONS>>["own"];

/** Milliseconds that a client has to answer an approval. */
const PATIENCE_MS = 10 * 60_000;

/** Serves Haft's tools, and with `--gateway` those of the configured servers, to MCP clients. */
export const mcpServe: Command = async (args) => {
  const { common, own } = readOptions(args, OPTIONS, 0);
  checkOptions(own);
  using interrupt = onInterrupt();
  const { createClientCalls } = await import("../../server/mcp/client-calls.ts");
  const { createServing } = await import("../../server/mcp/serving.ts");
  const clientCalls = createClientCalls({
    onUnasked: (title) =>
      tell(`haft mcp: could not ask: ${oneLine(title)}. It does not belong to exactly one call of a client.\n`),
  });
  const notices = noticeBoard();
  notices.watch((notice) => tell(drawNotice(notice)));
  const module = own.module === undefined ? undefined : await loadModule(own.module);
  await using haft = await openHaft(common, {
    ask: clientCalls.ask,
    // The callers are unknown here: a poller repeats itself, and many clients may share a token.
    fromProgram: true,
    onNotice: notices.post,
    approvalTimeoutMs: PATIENCE_MS,
    ...(own.gateway ? {} : { servedServers: true }),
    ...(module?.tools ? { tools: module.tools } : {}),
  });
  const content = await contentOf(haft, own, module);
  const serving = createServing({
    haft,
    clientCalls,
    version: await packageVersion(),
    patienceMs: PATIENCE_MS,
    ...(content ? { content } : {}),
    // Over HTTP, clients may be strangers to each other and to the output of hooks; the person who runs the server sees
    // it.
    ...(own.http ? {} : { notices }),
    ...(own.gateway ? { tools: "all" } : {}),
  });
  if (isGateway(haft, own)) void haft.mcp.settled().then(() => tellMissing(haft));
  // By then a client has initialized, and will think for a while before its first command.
  setTimeout(() => haft.prepare(), CALM_MS).unref();
  await (own.http ? overHttp(serving, common, own, interrupt.signal) : overStdio(serving, own, interrupt.signal));
  // A server is ended by a signal: an orderly end then is not a failure.
  return EXIT.ok;
};

/** Milliseconds from the start until the server is idle. */
const CALM_MS = 500;

const tell = (text: string): void => void process.stderr.write(text);
const onError = (error: Error): void => tell(`haft mcp: ${inOneLine(error.message)}\n`);

/** For an invalid message, the SDK lists everything that it could have been. */
const inOneLine = (message: string): string =>
  /^\s*\[\s*\{/.test(message) ? "ignored a message that is not MCP." : oneLine(message);

const isGateway = (haft: Haft, { gateway }: Own): boolean =>
  gateway === true || (haft.serving.tools ?? "own") !== "own";

/** A client only sees that a server's tools are missing; the person who runs the gateway sees why. */
function tellMissing({ mcp }: Haft): void {
  for (const { state, error } of mcp.list())
    if (state !== "ready" && error) tell(`haft mcp: ${visible(error.message)}\n`);
}

/** The prompts and resources that are served in addition to the client's own results, if any. */
async function contentOf(haft: Haft, own: Own, module: ServedModule | undefined) {
  if (!isGateway(haft, own)) return module;
  const { gatewayContent } = await import("../../server/mcp/gateway/gateway.ts");
  const { allContent } = await import("../../server/mcp/content.ts");
  return allContent([...(module ? [module] : []), gatewayContent(haft)]);
}

async function overStdio(serving: Serving, { client }: Own, interrupted: AbortSignal): Promise<void> {
  const { serveMcp } = await import("../../server/mcp/stdio/serve.ts");
  const handle = serveMcp(serving, { onError, ...(client === undefined ? {} : { client }) });
  // A file at its end never closes, and a broken pipe never ends.
  await Promise.race([once(process.stdin, "end"), once(process.stdin, "close"), handle.ended, aborted(interrupted)]);
  await handle.close();
  process.stdin.destroy();
}

async function overHttp(serving: Serving, { json }: CommonOptions, own: Own, interrupted: AbortSignal) {
  const { serveHttp } = await import("../../server/mcp/http/listen.ts");
  const { createTokens, newToken, readTokens } = await import("../../server/http/tokens.ts");
  const host = own.host ?? "127.0.0.1";
  const file = own["token-file"];
  const made = file === undefined && !own["no-token"] ? newToken() : undefined;
  const tokens = file === undefined ? made && new Map([["default", made]]) : readTokens(readPrivate(file));
  const handle = await serveHttp(serving, {
    host,
    port: Number(own.port ?? 0),
    onError,
    ...(tokens ? { tokens: createTokens(tokens) } : {}),
    ...(own.stateless ? { stateless: true } : {}),
  }).catch((thrown: Error) => {
    throw new UsageError(
      `The server cannot listen: ${thrown.message}.`,
      "Choose another --port (0: any free one) or --host.",
    );
  });
  if (json) process.stdout.write(`${JSON.stringify({ url: handle.url, ...(made ? { token: made } : {}) })}\n`);
  tell(`haft mcp: serving at ${handle.url}\n`);
  if (made && !json) tell(`haft mcp: clients send the header Authorization: Bearer ${made}\n`);
  if (own["no-token"]) tell("haft mcp: no token: every program on this machine can use this server.\n");
  await aborted(interrupted);
  await handle.close();
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}

/** Refuses options that have no effect without another one, or conflict with it: they would seem to protect. */
function checkOptions(own: Own): void {
  const { http, port, host = "127.0.0.1", client } = own;
  const alone = (["port", "host", "token-file", "no-token", "stateless"] as const).find(
    (name) => own[name] !== undefined,
  );
  if (!http && alone) throw new UsageError(`--${alone} needs --http.`, `Write --http --${alone}.`);
  if (http && client !== undefined) {
    throw new UsageError(
      "Over HTTP, the token identifies the client.",
      "Leave --client out, or name clients in a --token-file.",
    );
  }
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) < 65_536)) {
    throw new UsageError(`"${port}" is not a port.`, "Use a number from 0 (any free one) to 65535.");
  }
  if (own["no-token"] && own["token-file"] !== undefined) {
    throw new UsageError("--no-token and --token-file contradict each other.", "Keep one of them.");
  }
  if (own["no-token"] && !/^(localhost|127\.[\d.]+|\[?::1\]?)$/.test(host)) {
    throw new UsageError(
      `Without a token, anybody who can reach ${host} could run tools here.`,
      "Leave --no-token out.",
    );
  }
}

/**
 * Reads a file with secrets. If others can read it, they can use the server: this is reported, and the user must fix
 * it.
 */
function readPrivate(file: string): string {
  try {
    if (process.platform !== "win32" && (statSync(file).mode & 0o077) !== 0) {
      tell(`haft mcp: other users can read ${file}; chmod 600 makes it private.\n`);
    }
    return readFileSync(file, "utf8");
  } catch (thrown) {
    throw new UsageError(
      `The token file cannot be read: ${(thrown as Error).message}.`,
      "Write NAME TOKEN on each line.",
    );
  }
}

/** Code of the user: it runs with all their rights, so it comes from the command line only. */
async function loadModule(file: string): Promise<ServedModule> {
  try {
    return (await import(pathToFileURL(resolve(file)).href)) as ServedModule;
  } catch (thrown) {
    throw new UsageError(
      `The module ${file} cannot be loaded: ${(thrown as Error).message}.`,
      "Give a JavaScript module.",
    );
  }
}
