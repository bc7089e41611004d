import type { ClientRequest, IncomingMessage } from "node:http";
import { ANSWER_BYTES, collector, type Ended, type Running } from "./ended.ts";

/** The address that receives an event. */
export interface Target {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** The variables that headers may use; any other becomes empty. */
  readonly allowedEnvVars: readonly string[];
}

/** Posts the event as JSON. Does not follow a redirect: the user named only this address. Never rejects. */
export async function postEvent(target: Target, running: Running): Promise<Ended> {
  const { request } = await import(target.url.protocol === "https:" ? "node:https" : "node:http");
  const { payload, timeoutMs, signal } = running;
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), timeoutMs);
  try {
    return await new Promise<Ended>((resolve, reject) => {
      const sent: ClientRequest = request(target.url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(payload),
          ...headersOf(target, running.env),
        },
        signal: AbortSignal.any([signal, over.signal]),
      });
      sent.once("error", reject);
      sent.once("response", (response: IncomingMessage) => readReply(response).then(resolve, reject));
      sent.end(payload);
    });
  } catch (thrown) {
    return { how: "failed", why: failureOf(thrown, running, over.signal) };
  } finally {
    clearTimeout(timer);
  }
}

async function readReply(response: IncomingMessage): Promise<Ended> {
  const { statusCode: status = 0, headers } = response;
  if (status < 200 || status > 299) {
    response.destroy();
    const to = headers.location === undefined ? "" : ` (a redirect to ${headers.location} is not followed)`;
    return { how: "failed", why: `its server answered ${status}${to}` };
  }
  const body = collector(ANSWER_BYTES);
  // Does not read an oversized answer to its end, which may never come. Leaving the loop closes the connection.
  for await (const chunk of response) if (!body.add(chunk as Buffer)) break;
  return { how: "reply", body: body.printed() };
}

/** Header values with their variables filled in. Names are in lower case, so a user's header replaces ours. */
function headersOf({ headers, allowedEnvVars }: Target, env: Running["env"]): Record<string, string> {
  const filled = (value: string) =>
    value.replaceAll(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => {
      const name = braced ?? bare ?? "";
      return allowedEnvVars.includes(name) ? (env[name] ?? "") : "";
    });
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), filled(value)]));
}

function failureOf(thrown: unknown, { timeoutMs, signal }: Running, over: AbortSignal): string {
  if (over.aborted) return `its server did not answer within ${timeoutMs / 1000} s`;
  if (signal.aborted) return "the call was cancelled";
  const { code, message } = thrown as NodeJS.ErrnoException;
  return `its server cannot be reached (${code ?? message})`;
}
