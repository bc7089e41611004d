import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "@haft/core/tool";
import { createHaft } from "../../src/app/create-haft.ts";
import type { Haft, HaftOptions } from "../../src/app/haft.ts";
import { createClientCalls } from "../../src/server/mcp/client-calls.ts";
import { type HttpOptions, serveHttp } from "../../src/server/mcp/http/listen.ts";
import { createServing } from "../../src/server/mcp/serving.ts";

export interface ServedHere extends AsyncDisposable {
  readonly url: string;
  /** Clients need none, unless `tokens` are given. */
  readonly token: string;
  readonly haft: Haft;
  readonly cwd: string;
}

export interface ServedHereOptions extends HaftOptions, Pick<HttpOptions, "tokens"> {
  readonly clock?: Clock;
}

/** Haft as an MCP server over HTTP in this process, with a home and a workspace of its own. */
export async function servedHere({ clock, tokens, ...options }: ServedHereOptions = {}): Promise<ServedHere> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-served-")));
  const cwd = join(base, "work");
  for (const name of ["work", "home"]) mkdirSync(join(base, name));
  const at = { cwd, home: join(base, "home"), stateDir: join(base, "state"), env: {}, loopGuard: false } as const;
  const clientCalls = createClientCalls(clock ? { clock } : {});
  const haft = await createHaft({ ...at, ask: clientCalls.ask, ...options });
  const serving = createServing({ haft, clientCalls, version: "1" });
  const http = await serveHttp(serving, { host: "127.0.0.1", port: 0, ...(tokens ? { tokens } : {}) });
  return {
    ...{ url: http.url, token: "", haft, cwd },
    async [Symbol.asyncDispose]() {
      await http.close();
      await haft[Symbol.asyncDispose]();
      rmSync(base, { recursive: true, force: true });
    },
  };
}
