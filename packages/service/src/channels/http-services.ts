import type { InboundMessage } from "@haft/core/tool";
import type { ChannelSettings } from "./settings.ts";

/** A request to a service, and the meaning of its answers. */
export interface ServiceRequest {
  readonly url: string;
  readonly method?: "GET";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** One kind of service that takes messages over HTTP. */
export interface HttpService {
  /** The address if the settings give none. */
  readonly api?: string;
  /** Most characters of one message. */
  readonly most: number;
  /** The settings reach one place only, so a message cannot name another. */
  isFixed(settings: ChannelSettings): boolean;
  send(settings: Known, to: string | undefined, text: string, subject: string | undefined): ServiceRequest;
  /** Why an answer with a good status is a refusal. */
  refusal?(answer: Answer): string | undefined;
  idOf?(answer: Answer): string | undefined;
  read?(settings: Known, limit: number): ServiceRequest;
  messages?(answer: Answer): readonly InboundMessage[];
}

/** Settings with the address and the key filled in. */
export interface Known extends ChannelSettings {
  readonly url: string;
  readonly token: string | undefined;
}

/** An answer of a service as JSON, whatever it contains. */
export type Answer = Readonly<Record<string, unknown>> | readonly unknown[] | undefined;

const bearer = (kind: string, token: string | undefined) =>
  token === undefined ? {} : { headers: { authorization: `${kind} ${token}` } };
const fieldOf = (answer: unknown, name: string): unknown =>
  typeof answer === "object" && answer !== null ? (answer as Record<string, unknown>)[name] : undefined;
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const dateOf = (seconds: unknown): { readonly at?: string } => {
  const ms = Number(seconds) * 1000;
  return Number.isFinite(ms) && Math.abs(ms) < 8e15 ? { at: new Date(ms).toISOString() } : {};
};

/** Any address that takes JSON. */
const webhook: HttpService = {
  most: 100_000,
  isFixed: () => false,
  send: ({ url, token }, to, text, subject) => ({
    url,
    ...bearer("Bearer", token),
    body: { text, ...(to === undefined ? {} : { to }), ...(subject === undefined ? {} : { subject }) },
  }),
};

/** Slack's Web API with a token, or one of its incoming webhooks without. */
const slack: HttpService = {
  api: "https://slack.com/api",
  most: 40_000,
  isFixed: ({ token, tokenEnv }) => token === undefined && tokenEnv === undefined,
  send: ({ url, token }, to, text) =>
    token === undefined
      ? { url, body: { text } }
      : { url: `${url}/chat.postMessage`, ...bearer("Bearer", token), body: { channel: to, text } },
  refusal: (answer) => (fieldOf(answer, "ok") === false ? String(fieldOf(answer, "error")) : undefined),
  idOf: (answer) => textOf(fieldOf(answer, "ts")),
  read: ({ url, token, to }, limit) => ({
    url: `${url}/conversations.history?${new URLSearchParams({ channel: to ?? "", limit: String(limit) })}`,
    method: "GET",
    ...bearer("Bearer", token),
  }),
  messages: (answer) =>
    listOf(fieldOf(answer, "messages"))
      .map((one) => ({
        from: textOf(fieldOf(one, "user")) ?? "unknown",
        text: textOf(fieldOf(one, "text")) ?? "",
        ...dateOf(fieldOf(one, "ts")),
      }))
      .reverse(),
};

/** Discord's API with the token of a bot, or one of its webhooks without. */
const discord: HttpService = {
  api: "https://discord.com/api/v10",
  most: 2_000,
  isFixed: slack.isFixed,
  send: ({ url, token }, to, text) => {
    // A text cannot ping anybody.
    const body = { content: text, allowed_mentions: { parse: [] } };
    return token === undefined
      ? { url: `${url}${url.includes("?") ? "&" : "?"}wait=true`, body }
      : { url: `${url}/channels/${encodeURIComponent(to ?? "")}/messages`, ...bearer("Bot", token), body };
  },
  idOf: (answer) => textOf(fieldOf(answer, "id")),
  read: ({ url, token, to }, limit) => ({
    url: `${url}/channels/${encodeURIComponent(to ?? "")}/messages?limit=${limit}`,
    method: "GET",
    ...bearer("Bot", token),
  }),
  messages: (answer) =>
    listOf(answer)
      .map((one) => ({
        from: textOf(fieldOf(fieldOf(one, "author"), "username")) ?? "unknown",
        text: textOf(fieldOf(one, "content")) ?? "",
        ...(typeof fieldOf(one, "timestamp") === "string" ? { at: String(fieldOf(one, "timestamp")) } : {}),
      }))
      .reverse(),
};

/** Telegram's Bot API. */
const telegram: HttpService = {
  api: "https://api.telegram.org",
  most: 4_096,
  isFixed: () => false,
  send: ({ url, token }, to, text) => ({ url: `${url}/bot${token}/sendMessage`, body: { chat_id: to, text } }),
  refusal: (answer) => (fieldOf(answer, "ok") === false ? String(fieldOf(answer, "description")) : undefined),
  idOf: (answer) => textOf(fieldOf(fieldOf(answer, "result"), "message_id")),
  read: ({ url, token }, limit) => ({ url: `${url}/bot${token}/getUpdates?limit=${limit}`, method: "GET" }),
  messages: (answer) =>
    listOf(fieldOf(answer, "result")).flatMap((one) => {
      const message = fieldOf(one, "message");
      const from = fieldOf(message, "from");
      return message === undefined
        ? []
        : [
            {
              from: textOf(fieldOf(from, "username")) ?? textOf(fieldOf(from, "id")) ?? "unknown",
              text: textOf(fieldOf(message, "text")) ?? "",
              ...dateOf(fieldOf(message, "date")),
            },
          ];
    }),
};

export const HTTP_SERVICES: Readonly<Record<string, HttpService>> = { webhook, slack, discord, telegram };
