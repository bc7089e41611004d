import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { patience } from "../../../../../../test/support/patience.ts";
import { createHaft } from "../../../app/create-haft.ts";
import { createClientCalls } from "../client-calls.ts";
import { createServing } from "../serving.ts";
import { serveHttp } from "./listen.ts";

const UNREAD_MS = 300;
const PAGE = "x".repeat(1_000_000);
const COUNT = 60;

it("Q13 a client that reads nothing of its answer is disconnected; one without an answer, or a late reader, is not", async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-unread-")));
  for (const name of ["work", "home"]) mkdirSync(join(base, name));
  const at = { cwd: join(base, "work"), home: join(base, "home"), stateDir: join(base, "state"), env: {} };
  const clientCalls = createClientCalls();
  await using haft = await createHaft({ ...at, ask: clientCalls.ask });
  const content = { read: (uri: string) => ({ contents: [{ uri, text: PAGE }] }), watch: () => () => {} };
  const serving = createServing({ haft, clientCalls, content, version: "1" });
  const served = await serveHttp(serving, { host: "127.0.0.1", port: 0, unreadMs: UNREAD_MS });

  const opened = await fetch(served.url, { method: "POST", headers: HEADERS, body: JSON.stringify(INITIALIZE) });
  await opened.text();
  const session = { ...HEADERS, "Mcp-Session-Id": opened.headers.get("mcp-session-id") ?? "" };
  const news = await fetch(served.url, { headers: session });
  const body = JSON.stringify(Array.from({ length: COUNT }, (_, id) => ({ ...READ, id })));
  const request = () => {
    const head = Object.entries({ Host: "localhost", "Content-Length": String(body.length), ...session });
    const socket = connect(Number(new URL(served.url).port), "127.0.0.1");
    socket.write(`POST /mcp HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`);
    return socket;
  };
  /** Bytes that come of an answer which is looked at only after a while. */
  const readAfter = async (ms: number): Promise<number> => {
    const socket = request();
    await sleep(ms);
    let bytes = 0;
    const over = new Promise<void>((resolve) => {
      socket.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes >= COUNT * PAGE.length) resolve();
      });
    });
    await Promise.race([over, once(socket, "close")]);
    socket.destroy();
    return bytes;
  };
  expect(await readAfter(UNREAD_MS / 3)).toBeGreaterThan(COUNT * PAGE.length);
  // A busy machine makes the pages for a while before it notices that nobody reads them.
  expect(await readAfter(patience(UNREAD_MS * 8))).toBeLessThan(COUNT * PAGE.length);
  // All the while nothing has come on this one.
  const idle = news.body!.getReader().read();
  expect(await Promise.race([idle, sleep(100, "open")])).toBe("open");

  await served.close();
  await idle.catch(() => {});
  rmSync(base, { recursive: true, force: true });
}, 60_000);

const HEADERS = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
const READ = { jsonrpc: "2.0", method: "resources/read", params: { uri: "x://page" } };
const INITIALIZE = {
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};
