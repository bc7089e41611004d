import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stateFolder } from "@haft/service";
import { WebSocket } from "ws";
import type { Model } from "../../src/agent/index.ts";
import { createTokens, type ServerHandle, type ServerOptions, startServer } from "../../src/server/index.ts";
import type { AgentSessionOptions } from "../../src/session/index.ts";

export const TOKEN = "a-token-for-tests-only";
export const OTHER_TOKEN = "another-token-for-tests";

/** A message from the server. */
export type Heard = { readonly type: string; readonly [field: string]: unknown };

/** A server in a folder of its own, with a model that says what it is told to. */
export interface TestServer extends AsyncDisposable {
  readonly base: string;
  readonly cwd: string;
  readonly handle: ServerHandle;
  write(name: string, text: string): string;
  /** A request with the token; the answer as JSON. */
  ask(method: string, path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  connect(options?: { readonly token?: string; readonly headers?: Record<string, string> }): Promise<TestSocket>;
  /** Ends the server and starts another one in the same folders. */
  restart(model?: Model): Promise<void>;
}

/** A connected client. */
export interface TestSocket {
  readonly socket: WebSocket;
  readonly heard: Heard[];
  send(message: object): void;
  /** The next message that fits, or an earlier one that nobody has taken. */
  next(fits: (message: Heard) => boolean): Promise<Heard>;
  close(): Promise<void>;
}

export async function testServer(
  model: Model | ((name: string) => Model),
  more: Partial<ServerOptions> & { readonly session?: AgentSessionOptions } = {},
): Promise<TestServer> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-serve-")));
  for (const folder of ["work", "home"]) mkdirSync(join(base, folder));
  const [cwd, home, stateDir] = [join(base, "work"), join(base, "home"), join(base, "state")];
  const { session, ...options } = more;
  const start = (use: typeof model) =>
    startServer({
      ...{ host: "127.0.0.1", port: 0, version: "0.0.0", cwd },
      tokens: createTokens(
        new Map([
          ["ann", TOKEN],
          ["ben", OTHER_TOKEN],
        ]),
      ),
      state: stateFolder(home, { HAFT_STATE_DIR: stateDir }),
      ...options,
      base: {
        ...{ home, stateDir, env: {}, model: "test/scripted", onNotice: () => {} },
        openModel: (name) => (typeof use === "function" ? use(name) : use),
        ...session,
      },
    });
  let handle = await start(model);
  const sockets = new Set<TestSocket>();
  const fetchHere = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${handle.url}${path}`, { ...init, headers: { Authorization: `Bearer ${TOKEN}`, ...init.headers } });
  return {
    base,
    cwd,
    get handle() {
      return handle;
    },
    write(name, text) {
      const path = join(cwd, name);
      writeFileSync(path, text);
      return path;
    },
    fetch: fetchHere,
    async ask(method, path, body) {
      const answer = await fetchHere(path, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
      });
      return (await answer.json()) as Record<string, unknown>;
    },
    async connect({ token = TOKEN, headers = {} } = {}) {
      const socket = await openSocket(handle.url, { Authorization: `Bearer ${token}`, ...headers });
      sockets.add(socket);
      return socket;
    },
    async restart(use = typeof model === "function" ? undefined : model) {
      await handle.close();
      handle = await start(use ?? model);
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) await socket.close();
      await handle.close();
      if (existsSync(base)) rmSync(base, { recursive: true, force: true });
    },
  };
}

async function openSocket(url: string, headers: Record<string, string>): Promise<TestSocket> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/api/socket`, { headers });
  const heard: Heard[] = [];
  const waiting = new Set<() => void>();
  socket.on("message", (data) => {
    heard.push(JSON.parse(String(data)) as Heard);
    for (const look of [...waiting]) look();
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("open", () => resolve());
    socket.once("error", reject);
  });
  return {
    socket,
    heard,
    send: (message) => socket.send(JSON.stringify(message)),
    next: (fits) =>
      new Promise((resolve) => {
        const look = (): void => {
          const at = heard.findIndex(fits);
          if (at < 0) return;
          waiting.delete(look);
          resolve(heard.splice(at, 1)[0]!);
        };
        waiting.add(look);
        look();
      }),
    async close() {
      if (socket.readyState === WebSocket.CLOSED) return;
      const closed = new Promise((resolve) => socket.once("close", resolve));
      // One that reads nothing would not see the answer either.
      if (socket.isPaused) socket.terminate();
      else socket.close();
      await closed;
    },
  };
}
