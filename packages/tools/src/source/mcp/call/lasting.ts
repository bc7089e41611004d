import { setTimeout as wait } from "node:timers/promises";
import { HaftError } from "@haft/core/tool";
import type { StandardSchemaV1 } from "@modelcontextprotocol/client";
import { withLogin } from "../auth/with-login.ts";
import { type Connection, FORGOTTEN } from "../connection/connection.ts";
import { httpStatusOf, type Live } from "../connection/open.ts";

/** Requests about something that goes on at the server, whether we are connected or not. */
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
  /** Milliseconds for one request. */
  readonly timeout: number;
}

/** How often one request is made again where the way to the server breaks; each time after twice the pause. */
const RETRIES = 5;
const FIRST_PAUSE_MS = 200;

/**
 * A line that outlives connections: a request that got lost is made again over the next one. Fails with errors that say
 * nothing of logins or sessions, so that nobody takes them for a reason to make the whole call once more.
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

/** Whether it was the way that failed: an error that the server sent has a number, and our own say what to do. */
const isLost = (thrown: unknown): boolean =>
  !HaftError.is(thrown) && typeof (thrown as { readonly code?: unknown }).code !== "number";

function plainly(server: string, method: string, thrown: unknown): HaftError {
  const { message, hint } = thrown as { readonly message?: string; readonly hint?: string };
  return new HaftError({
    code: "mcp_error",
    message: `The MCP server "${server}" does not answer ${method}: ${message ?? String(thrown)}`,
    hint: hint ?? "What the call has done by then is not known: look before you repeat it.",
  });
}
