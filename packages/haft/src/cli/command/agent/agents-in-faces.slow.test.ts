import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable, Writable } from "node:stream";
import { client, ndJsonStream, type RequestPermissionRequest } from "@agentclientprotocol/sdk";
import type { ApprovalRequest } from "@haft/core/approval";
import { expect, it } from "vitest";
import { type Block, call, say, streamOf } from "../../../../../../test/support/anthropic-wire.ts";
import { patience } from "../../../../../../test/support/patience.ts";
import { wireServer } from "../../../../../../test/support/wire-server.ts";
import { type Scratch, scratch } from "../../../../test/support/haft-process.ts";

// Two agents that change files at the same time, in the program as people start it.

const agent = (prompt: string) => call(prompt, "Agent", { description: "a part", prompt, isolation: "base" });
const write = (file_path: string) => call(`w-${file_path}`, "Write", { file_path, content: `${file_path}\n` });
const run = (file: string) => call(`b-${file}`, "Bash", { command: `touch ${file} && echo made` });

/** The turns of each agent, by the first words of its prompt. */
const TURNS: Readonly<Record<string, readonly (readonly Block[])[]>> = {
  Start: [[agent("First"), agent("Second")], [say("Both are done.")]],
  First: [[write("first.txt")], [run("first.log")], [say("First is done.")]],
  Second: [[write("second.txt")], [run("second.log")], [say("Second is done.")]],
};

/** A model on the wire that knows each agent by its prompt. */
const scriptedServer = () =>
  wireServer((body) => {
    const { messages } = JSON.parse(body) as { messages: readonly { role: string; content: unknown }[] };
    const name = Object.keys(TURNS).find((one) => JSON.stringify(messages[0]?.content).includes(`"${one}`)) ?? "";
    const turn = messages.filter(({ role }) => role === "assistant").length;
    return { events: streamOf(TURNS[name]?.[turn] ?? [say("Nothing to do.")]) };
  });

const modelOn = (url: string) => ({ ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: `${url}/v1` });
const MODEL = ["--model", "anthropic/claude-test"];

/** The last message to the model of an agent. */
const toldTo = (bodies: readonly string[], name: string): string =>
  bodies.findLast((body) => JSON.stringify(JSON.parse(body).messages[0].content).includes(`"${name}`)) ?? "";

it("S01 S11 E16 over ACP two agents ask with name, model and the files of the workspace, and one undo takes a child back", {
  timeout: 120_000,
  tags: ["smoke"],
}, async () => {
  using place = scratch();
  await using server = await scriptedServer();
  const child = place.start(["acp", ...MODEL], modelOn(server.url));
  const ended = once(child, "exit");
  const asked: RequestPermissionRequest[] = [];
  const updates: unknown[] = [];
  const connection = client()
    .onNotification("session/update", ({ params }) => void updates.push(params.update))
    .onRequest("session/request_permission", ({ params }) => {
      asked.push(params);
      return { outcome: { outcome: "selected", optionId: "allow" } };
    })
    .connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>));
  const { agent: editor } = connection;
  await editor.request("initialize", { protocolVersion: 1 });
  const { sessionId } = await editor.request("session/new", { cwd: place.cwd, mcpServers: [] });
  const prompt = (text: string) => editor.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  await prompt("Start.");

  const texts = asked.map(({ toolCall }) => JSON.stringify(toolCall.content));
  expect(asked.map(({ toolCall }) => toolCall.toolCallId).toSorted()).toEqual(
    ["b-first.log", "b-second.log", "w-first.txt", "w-second.txt"].toSorted(),
  );
  for (const text of texts) expect(text).toMatch(/Asked by the agent general \(a[12]\), anthropic\/claude-test\. /);
  const path = join(place.cwd, "first.txt");
  const edit = asked.find(({ toolCall }) => toolCall.toolCallId === "w-first.txt")!.toolCall;
  expect(edit).toMatchObject({ kind: "edit", locations: [{ path }], content: [{ type: "diff", path }, {}] });
  const command = asked.find(({ toolCall }) => toolCall.toolCallId === "b-first.log")!.toolCall;
  expect(JSON.stringify(command.content).match(/touch first\.log/g)).toHaveLength(1);
  expect(JSON.stringify(command.content)).toContain(`- write ${join(place.cwd, "first.log")} (create)`);
  expect(JSON.stringify([asked, updates])).not.toContain("/frozen/");

  const files = () => ["first.txt", "first.log", "second.txt", "second.log"].filter((one) => isThere(place, one));
  expect(files()).toHaveLength(4);
  await prompt("/undo");
  expect([["first.txt", "first.log"].toString(), ["second.txt", "second.log"].toString()]).toContain(
    files().toString(),
  );
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
  connection.close();
});

it("S01 S11 E04 over HTTP a comment reaches the agent that asked, and undo takes the other back as one step", {
  timeout: 120_000,
}, async () => {
  using place = scratch();
  await using server = await scriptedServer();
  const child = place.start(["serve", "--json", ...MODEL], modelOn(server.url));
  const ended = once(child, "exit");
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const { url, token } = JSON.parse(line) as { url: string; token: string };
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const ask = async (path: string, body?: object) => {
    const method = body === undefined ? "GET" : "POST";
    const reply = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    return (await reply.json()) as Readonly<Record<string, unknown>>;
  };
  const { id } = await ask("/api/sessions", { prompt: "Start." });
  const waiting = async () =>
    (await ask("/api/approvals")).approvals as readonly {
      readonly request: ApprovalRequest;
      readonly digest: string;
    }[];

  const seen: ApprovalRequest[] = [];
  await expect
    .poll(
      async () => {
        for (const { request, digest } of await waiting()) {
          seen.push(request);
          const isSecond = request.callId === "b-second.log";
          const answer = isSecond ? { behavior: "deny", message: "leave logs out" } : { behavior: "allow" };
          await ask(`/api/approvals/${request.id}/answer`, { answer, digest });
        }
        return ((await ask("/api/sessions")).sessions as readonly { status: string }[]).map(({ status }) => status);
      },
      { timeout: patience(60_000) },
    )
    .toEqual(["idle"]);

  expect(seen.map(({ callId }) => callId).toSorted()).toEqual(
    ["b-first.log", "b-second.log", "w-first.txt", "w-second.txt"].toSorted(),
  );
  expect(seen.map(({ agent: who }) => who.model)).toEqual(Array(4).fill("anthropic/claude-test"));
  const path = join(place.cwd, "second.txt");
  const edit = seen.find(({ callId }) => callId === "w-second.txt");
  expect(edit).toMatchObject({ agent: { path: ["general"] }, show: { path }, effects: [{ do: "write", path }] });
  expect(toldTo(server.bodies, "Second")).toContain("leave logs out");
  expect(toldTo(server.bodies, "First")).not.toContain("leave logs out");
  const { rows } = await ask(`/api/sessions/${id}/rows`);
  expect(JSON.stringify([seen, rows])).not.toContain("/frozen/");

  const { entries } = await ask(`/api/journal?session=${id}`);
  expect((entries as readonly { call: string }[]).map(({ call: one }) => one).toSorted()).toEqual(["First", "Second"]);
  await ask("/api/journal/undo", { session: id, call: "First" });
  expect(["first.txt", "first.log", "second.txt"].filter((one) => isThere(place, one))).toEqual(["second.txt"]);
  expect(readFileSync(path, "utf8")).toBe("second.txt\n");
  child.kill("SIGINT");
  expect(await ended).toEqual([0, null]);
});

const isThere = ({ cwd }: Scratch, file: string): boolean => existsSync(join(cwd, file));
