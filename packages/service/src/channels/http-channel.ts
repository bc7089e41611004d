import { type ChannelDriver, fail, HaftError, type Net } from "@haft/core/tool";
import { type Answer, HTTP_SERVICES, type HttpService, type Known, type ServiceRequest } from "./http-services.ts";
import { type ChannelSettings, type Environment, tokenOf } from "./settings.ts";

/** Most milliseconds to wait if a service asks for a pause; beyond that the call fails and says when. */
const MOST_PAUSE_MS = 5_000;

interface HttpChannel {
  readonly name: string;
  readonly settings: ChannelSettings;
  readonly env: Environment;
  readonly net: Net;
  pause(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A channel over HTTP. */
export function httpChannel({ name, settings, env, net, pause }: HttpChannel): ChannelDriver {
  const service = HTTP_SERVICES[settings.type]!;
  const known = (): Known => ({
    ...settings,
    url: (settings.url ?? service.api ?? "").replace(/\/+$/, ""),
    token: tokenOf(name, settings, env),
  });

  async function request(wanted: ServiceRequest, signal: AbortSignal | undefined): Promise<Answer> {
    for (let attempt = 0; ; attempt++) {
      const answer = await answerTo(name, net, wanted, signal);
      if (answer.status !== 429) return accepted(name, service, answer);
      const wait = pauseOf(answer);
      if (attempt > 0 || wait > MOST_PAUSE_MS)
        fail(
          "limit_reached",
          `Channel "${name}" accepts no more messages for ${Math.ceil(wait / 1000)} s. Nothing was sent.`,
          "Wait, or put several messages into one.",
        );
      await pause(wait, signal);
    }
  }

  return {
    type: settings.type,
    isFixed: service.isFixed(settings),
    ...(settings.to === undefined ? {} : { to: settings.to }),
    async send({ text, to, subject }, signal) {
      const parts = partsOf(text, service.most);
      let id: string | undefined;
      for (const part of parts) {
        const answer = await request(service.send(known(), to, part, subject), signal);
        id ??= service.idOf?.(answer);
      }
      return { parts: parts.length, ...(id === undefined ? {} : { id }) };
    },
    ...(service.read && !service.isFixed(settings)
      ? {
          read: async (limit: number, signal?: AbortSignal) =>
            service.messages!(await request(service.read!(known(), limit), signal)).slice(-limit),
        }
      : {}),
  };
}

interface Received {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: Answer;
}

async function answerTo(
  name: string,
  net: Net,
  { url, method, headers, body }: ServiceRequest,
  signal: AbortSignal | undefined,
): Promise<Received> {
  const sent = { "content-type": "application/json; charset=utf-8", ...headers };
  try {
    const response = await net.fetch(url, {
      ...(method ? { method, headers: headers ?? {} } : { method: "POST", headers: sent, body: JSON.stringify(body) }),
      redirect: "manual",
      maxBytes: 1_000_000,
      ...(signal ? { signal } : {}),
    });
    return {
      status: response.status,
      retryAfter: response.headers.get("retry-after"),
      body: parsed(await response.text()),
    };
  } catch (thrown) {
    throw unreached(name, thrown);
  }
}

/** The address may contain the key, so the original message does not go to the model. */
function unreached(name: string, thrown: unknown): unknown {
  if (!HaftError.is(thrown) || thrown.code === "cancelled") return thrown;
  if (thrown.code === "timeout")
    return new HaftError({
      code: "outcome_unknown",
      message: `Channel "${name}" did not answer in time. The message may have arrived.`,
      hint: "Do not send it again before somebody has checked.",
    });
  return new HaftError({
    code: thrown.code,
    message: `Channel "${name}" cannot be reached. Nothing was sent.`,
    hint:
      thrown.code === "address_blocked"
        ? "Its address is private: web.privateHosts in the user's settings opens it."
        : "Check its address in the settings (channels), and whether the service works.",
  });
}

function accepted(name: string, service: HttpService, { status, body }: Received): Answer {
  const why = status >= 200 && status < 300 ? service.refusal?.(body) : `status ${status}`;
  if (why === undefined) return body;
  const isKey = status === 401 || status === 403 || why.includes("auth");
  return fail(
    "fetch_failed",
    `Channel "${name}" refused the message: ${why}.`,
    isKey ? "Its key in the settings (channels) does not work." : "Check the recipient, and the channel's settings.",
  );
}

/** Services say it in a header, or in the body in seconds. */
function pauseOf({ retryAfter, body }: Received): number {
  const fields = (body ?? {}) as { readonly retry_after?: unknown; readonly parameters?: { retry_after?: unknown } };
  const seconds = Number(retryAfter ?? fields.retry_after ?? fields.parameters?.retry_after ?? 1);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : 1000;
}

function parsed(text: string): Answer {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return undefined;
  }
}

/** Cuts a text into parts of at most `most` characters, at line ends or spaces where there are some. */
function partsOf(text: string, most: number): readonly string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > most) {
    const window = rest.slice(0, most);
    const line = window.lastIndexOf("\n");
    const space = window.lastIndexOf(" ");
    const found = line > most / 2 ? line + 1 : space > most / 2 ? space + 1 : most;
    // Does not cut between the halves of one character.
    const end = found === most && /[\ud800-\udbff]/.test(rest[most - 1]!) ? most - 1 : found;
    parts.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...parts, rest];
}
