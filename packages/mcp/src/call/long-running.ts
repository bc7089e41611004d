import { setTimeout as wait } from "node:timers/promises";
import { HaftError } from "@haft/core/tool";
import type { StandardSchemaV1 } from "@modelcontextprotocol/client";
import { withLogin } from "../auth/with-login.ts";
import { type Connection, FORGOTTEN } from "../connection/connection.ts";
import { httpStatusOf, type Live } from "../connection/open.ts";

/** Requests about work that continues at the server, connected or not. */
export interface LastingLine {
  request<T>(method: string, params: Readonly<Record<string, unknown>>, schema: Schema<T>): Promise<T>;
  /** Answers a question of the server. */
  answer: Live["answer"];
}

export type Schema<T> = StandardSchemaV1<unknown, T>;

export interface LastingParts {
  readonly server: string;
  readonly connection: Pick<Connection, "live" | "renew">;
  readonly signal: AbortSignal;
  /** Timeout in milliseconds for one request. */
  readonly timeout: number;
}

/** How often one request is retried after the connection breaks; each pause is twice the one before. */
const RETRIES = 5;
const FIRST_PAUSE_MS = 200;

/**
 * A line that outlives connections: a lost request is retried over the next one. Its errors do not mention logins or sessions, because
 * those would make the caller repeat the whole call.
 */
export function lastingLine({ server, connection, signal, timeout }: LastingParts): LastingLine {
  async function once<T>(live: Live, method: string, params: object, schema: Schema<T>): Promise<T> {
    const request = { method, params: { ...params } };
    return withLogin(live, signal, () => live.client.request(request, schema, { timeout, signal }));
  }

  return {
    async request(method, params, schema) {
      for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
        let live: Live | undefined;
        try {
          live = await connection.live(signal);
          return await once(live, method, params, schema);
        } catch (thrown) {
          signal.throwIfAborted();
          if (live === undefined || !isLost(thrown) || pause >= FIRST_PAUSE_MS * 2 ** RETRIES)
            throw plainly(server, method, thrown);
          await wait(pause, undefined, { signal });
          if (FORGOTTEN.has(httpStatusOf(thrown))) await connection.renew(live, signal).catch(() => {});
        }
      }
    },
    answer: async (question, stopped) => (await connection.live(stopped)).answer(question, stopped),
  };
}

/** Whether the connection failed: an error from the server has a number, and our own errors contain a fix. */
const isLost = (thrown: unknown): boolean =>
  !HaftError.is(thrown) && typeof (thrown as { readonly code?: unknown }).code !== "number";

function plainly(server: string, method: string, thrown: unknown): HaftError {
  const { message, hint } = thrown as { readonly message?: string; readonly hint?: string };
  return new HaftError({
    code: "mcp_error",
    message: `The MCP server "${server}" does not answer ${method}: ${message ?? String(thrown)}`,
    hint: hint ?? "The call may have done part of its work: check before you repeat it.",
  });
}
