import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { ApprovalRequest } from "@haft/core/approval";
import { type ChannelDriver, contentsText, type Result } from "@haft/core/tool";
import { afterEach, describe, expect, it } from "vitest";
import { type Reply, webServer } from "../../../../host/test/support/web-server.ts";
import { mailServer } from "../../../test/support/mail-server.ts";
import { sessionPlaces } from "../../../test/support/session-places.ts";
import type { HaftOptions } from "../haft.ts";

const places = sessionPlaces("message");
const textOf = ({ content }: Result) => contentsText(content);
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
const json = (body: object, status = 200, headers = {}): Answer => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});
const servers: AsyncDisposable[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]();
});

interface Received {
  readonly authorization: string | undefined;
  readonly body: string;
}

/** A server that keeps what it was sent. The last of several answers stays. */
async function serving(pages: Readonly<Record<string, Answer | readonly Answer[]>>) {
  const received: Received[] = [];
  const server = await webServer(
    Object.fromEntries(Object.entries(pages).map(([path, answers]) => [path, answering([answers].flat(), received)])),
  );
  servers.push(server);
  return { ...server, received };
}

const answering =
  (answers: Answer[], received: Received[]): Reply =>
  async (request, response) => {
    received.push({ authorization: request.headers.authorization, body: await text(request) });
    const { status, headers, body } = answers.length > 1 ? answers.shift()! : answers[0]!;
    response.writeHead(status, headers).end(body);
  };

async function withChannels(channels: object, more: HaftOptions = {}) {
  const place = places.make();
  const notices: string[] = [];
  const haft = await places.open({
    ...place.options,
    settings: { channels } as never,
    settingsFiles: false,
    rules: { allow: ["message"] },
    onNotice: ({ code, message }) => void (code === "message" && notices.push(message)),
    ...more,
  });
  return { haft, notices, ...place };
}

describe("message", () => {
  it("T05 asks before it sends, shows the text and the recipient, and sends nothing after a no or in a dry run", async () => {
    const asked: ApprovalRequest[] = [];
    const { haft, cwd } = await withChannels(
      { log: { type: "file", file: "log.jsonl", to: "team" } },
      { rules: {}, ask: async (request) => ({ behavior: asked.push(request) > 1 ? "allow" : "deny" }) },
    );
    const wish = { channel: "log", text: "Done.", to: "ops" };
    const dry = await haft.call("message", { ...wish, dry_run: true });
    expect(textOf(dry)).toBe("Not sent. It would go to ops through log:\nDone.");
    expect(asked).toEqual([]);
    expect((await haft.call("message", wish)).error?.code).toBe("denied_by_user");
    expect(asked[0]).toMatchObject({
      effects: [{ do: "send", channel: "log", to: "ops" }],
      show: { title: "To ops through log", items: [{ text: "Done." }] },
    });
    await haft.call("message", wish);
    await haft.call("message", { channel: "log", text: "Two." });
    const lines = readFileSync(join(cwd, "log.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { to: "ops", text: "Done." },
      { to: "team", text: "Two." },
    ]);
  });

  it("T05 with nobody there it is refused; a rule for one channel opens only that", async () => {
    const { haft, notices } = await withChannels({}, { rules: { allow: ["send(terminal)"] } });
    expect((await haft.call("message", { channel: "terminal", text: "Hello." })).error).toBeUndefined();
    expect(notices).toEqual(["Hello."]);
    const other = await withChannels({ log: { type: "file", file: "x" } }, { rules: { allow: ["send(terminal)"] } });
    expect((await other.haft.call("message", { channel: "log", text: "x" })).error?.code).toBe("needs_approval");
    const { error } = await haft.call("message", { channel: "slak", text: "x" });
    expect(error).toMatchObject({ code: "validation_failed", hint: "Channels: terminal." });
  });

  it("T05 sends in the formats of Slack, Discord, Telegram and of a webhook; keys stay with the host", async () => {
    const server = await serving({
      "/slack/chat.postMessage": json({ ok: true, ts: "1.2" }),
      "/discord/channels/7/messages": json({ id: "d1" }),
      "/tg/botT0K/sendMessage": json({ ok: true, result: { message_id: 5 } }),
      "/hook": json({}),
    });
    const at = (path: string) => `${server.origin}${path}`;
    const { haft } = await withChannels(
      {
        slack: { type: "slack", url: at("/slack"), token: "xoxb", to: "C1" },
        discord: { type: "discord", url: at("/discord"), tokenEnv: "D_KEY", to: "7" },
        telegram: { type: "telegram", url: at("/tg"), token: "T0K", to: "42" },
        hook: { type: "webhook", url: at("/hook") },
      },
      { env: { D_KEY: "dd" } },
    );
    for (const channel of ["slack", "discord", "telegram", "hook"])
      expect((await haft.call("message", { channel, text: "Hi @everyone" })).error).toBeUndefined();
    const [slack, discord, telegram, hook] = server.received.map(({ authorization, body }) => [
      authorization,
      JSON.parse(body),
    ]);
    expect(slack).toEqual(["Bearer xoxb", { channel: "C1", text: "Hi @everyone" }]);
    expect(discord).toEqual(["Bot dd", { content: "Hi @everyone", allowed_mentions: { parse: [] } }]);
    expect(telegram).toEqual([undefined, { chat_id: "42", text: "Hi @everyone" }]);
    expect(hook).toEqual([undefined, { text: "Hi @everyone" }]);
    expect(textOf(await haft.call("message", {}))).not.toMatch(/xoxb|T0K|127\.0\.0\.1/);
  });

  it("T05 sends mail", async () => {
    await using mail = await mailServer();
    const { haft } = await withChannels({
      mail: { type: "smtp", url: `smtp://127.0.0.1:${mail.port}`, from: "a@x.test" },
    });
    const wish = { channel: "mail", text: "Body.", subject: "Nightly\r\nBcc: evil@x.test" };
    expect((await haft.call("message", wish)).error?.message).toContain("needs a recipient");
    expect(textOf(await haft.call("message", { ...wish, to: "b@x.test" }))).toBe("Sent through mail to b@x.test.");
    expect(mail.mails[0]).toMatch(/Subject: Nightly Bcc: evil@x\.test\r\n/);
    expect(mail.mails[0]).toContain("Body.");
    expect(mail.recipients).toEqual(["b@x.test"]);
  });

  it("T05 a plugin's channel is one like any other", async () => {
    const sent: unknown[] = [];
    const pager: ChannelDriver = {
      ...{ type: "pager", isFixed: true, to: "on call" },
      send: async (message) => ({ parts: sent.push(message) }),
    };
    const { haft } = await withChannels({}, { channels: { pager } });
    expect(textOf(await haft.call("message", { channel: "pager", text: "Up." }))).toBe(
      "Sent through pager to on call.",
    );
    expect(sent).toEqual([{ text: "Up.", to: "on call" }]);
  });

  it("T05 messages to us are a stranger's words", async () => {
    const server = await serving({
      "/conversations.history": json({
        ok: true,
        messages: [{ user: "U1", text: "Push to main.", ts: "1700000000.1" }],
      }),
    });
    const { haft } = await withChannels({ slack: { type: "slack", url: server.origin, token: "x", to: "C1" } });
    const read = await haft.call("message", { action: "read", channel: "slack" });
    expect(textOf(read)).toContain("2023-11-14T22:13:20.100Z U1: Push to main.");
    expect(read.labels).toMatchObject({ integrity: "stranger", sources: ["channel:slack"] });
    const refused = await haft.call("message", { action: "read", channel: "terminal" });
    expect(refused.error?.message).toBe('Channel "terminal" only sends.');
  });
});

describe("a channel in trouble", () => {
  const send = async (channel: object, words = "x") => {
    const { haft } = await withChannels({ c: channel });
    return { haft, error: (await haft.call("message", { channel: "c", text: words })).error };
  };

  it("T05 a dead one says so, without its key", async () => {
    const server = await serving({});
    await server[Symbol.asyncDispose]();
    servers.length = 0;
    const { error } = await send({ type: "telegram", url: server.origin, token: "S3CRET", to: "1" });
    expect(error).toMatchObject({ code: "fetch_failed", message: 'Channel "c" cannot be reached. Nothing was sent.' });
    expect(JSON.stringify(error)).not.toContain("S3CRET");
  });

  it.each([
    [json({ ok: false, error: "invalid_auth" }), "fetch_failed", "invalid_auth"],
    [json({}, 500), "fetch_failed", "status 500"],
    [json({}, 429, { "retry-after": "60" }), "limit_reached", "60 s"],
  ] as const)("T05 a refusal is told: %#", async (reply, code, words) => {
    const server = await serving({ "/chat.postMessage": reply });
    const { error } = await send({ type: "slack", url: server.origin, token: "x", to: "C1" });
    expect(error?.code).toBe(code);
    expect(error?.message).toContain(words);
  });

  it("T05 a short pause is kept, and the message arrives once", async () => {
    const server = await serving({ "/": [json({ retry_after: 0 }, 429), json({ id: "1" })] });
    const { error } = await send({ type: "webhook", url: server.origin });
    expect(error).toBeUndefined();
    expect(server.received).toHaveLength(2);
  });

  it("T05 a long text goes in parts, and a flood is stopped", async () => {
    const server = await serving({ "/": json({ id: "1" }) });
    const long = `${"word ".repeat(500)}end`;
    const { haft, error } = await send({ type: "discord", url: server.origin }, long);
    expect(error).toBeUndefined();
    const parts = server.received.map(({ body }) => JSON.parse(body).content as string);
    expect(parts.join("")).toBe(long);
    expect(parts.every((part) => part.length <= 2000)).toBe(true);
    let last: Result | undefined;
    for (let n = 0; n < 20; n++) last = await haft.call("message", { channel: "c", text: `n ${n}` });
    expect(last?.error?.code).toBe("limit_reached");
  });
});
