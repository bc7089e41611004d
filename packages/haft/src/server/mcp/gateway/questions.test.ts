import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ServedHaft, servedHaft } from "../../../../../../test/support/served-haft.ts";
import { type Scratch, scratch } from "../../../../test/support/haft-process.ts";
import { type Form, type FormAnswer, httpClient, textOf } from "../../../../test/support/http-client.ts";
import { serverEntry } from "../../../../test/support/mcp-workspace.ts";

// Questions of the servers behind a gateway, and the people in front of it.

let place: Scratch;
let served: ServedHaft;

/** The same in the newer protocol, where each call asks for itself. */
const eachServer = new URL("../../../../test/support/pair-server.mjs", import.meta.url);

/** Asks only when two calls are in progress, and gives the answer to both. */
const PAIR = `
const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
const calls = [];
const tool = { name: "look", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } };
const results = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "pair", version: "1" } },
  "tools/list": { tools: [tool] },
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, result } = JSON.parse(line);
  if (id === "q") for (const call of calls.splice(0)) send({ id: call, result: { content: [{ type: "text", text: result.action }] } });
  else if (method === "tools/call") {
    const form = { type: "object", properties: { size: { type: "string" } } };
    if (calls.push(id) === 2) send({ id: "q", method: "elicitation/create", params: { message: "Which?", requestedSchema: form } });
  } else if (id !== undefined) send({ id, ...(results[method] ? { result: results[method] } : { error: { code: -32601, message: "no" } }) });
});`;

beforeAll(async () => {
  place = scratch();
  const settings = {
    mcpServers: {
      old: serverEntry("friendly", "legacy"),
      young: serverEntry("friendly", "modern"),
      pair: { command: process.execPath, args: ["-e", PAIR], trusted: true },
      each: { command: process.execPath, args: [fileURLToPath(eachServer)], trusted: true },
    },
    permissions: { allow: ["mcp__old", "mcp__young", "mcp__pair", "mcp__each"] },
  };
  place.write("settings.json", JSON.stringify(settings));
  served = await servedHaft(["--gateway", "--settings", join(place.cwd, "settings.json")], { place });
}, 60_000);
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

const confirm = (server: string) => ({ name: `mcp__${server}__confirm`, arguments: {} });

describe.each(["legacy", "modern"] as const)("a client of the %s protocol", (era) => {
  it.each(["old", "young"])("Q13 fills in the form of the server %s, as the server has written it", async (server) => {
    const forms: Form[] = [];
    const answer = (form: Form): FormAnswer => {
      forms.push(form);
      return { action: "accept", content: { size: "S" } };
    };
    const client = await httpClient(served, { era, answer });
    expect(JSON.parse(textOf(await client.callTool(confirm(server))))).toEqual({
      action: "accept",
      content: { size: "S" },
    });
    expect(forms).toHaveLength(1);
    expect(forms[0]?.message).toContain(`Question from the MCP server "${server}"`);
    expect(forms[0]?.message).toContain("Which size?");
    expect(forms[0]?.requestedSchema).toMatchObject({
      properties: { size: { type: "string", enum: ["S", "M"], default: "M" } },
      required: ["size"],
    });
    await client.close();
  });

  it("Q13 whose no reaches the server, and whose invalid answer is asked for again", async () => {
    const forms: Form[] = [];
    const answers: FormAnswer[] = [
      { action: "decline" },
      { action: "accept", content: { size: "XXL" } },
      { action: "accept", content: { size: "M" } },
    ];
    const answer = (form: Form) => {
      forms.push(form);
      return answers.shift()!;
    };
    const client = await httpClient(served, { era, answer });
    const said = async () => JSON.parse(textOf(await client.callTool(confirm("old"))));
    expect([await said(), await said()]).toEqual([{ action: "decline" }, { action: "accept", content: { size: "M" } }]);
    expect(forms[2]?.message).toContain('The answer was not sent: "size" must be one of S, M');
    await client.close();
  });

  it.each(["old", "young"])(
    "Q13 that opens pages is given the page of the server %s, and others a question",
    async (server) => {
      for (const [capability, mode, url] of [
        [{ form: {}, url: {} }, "url", "https://pay.example.com/1"],
        [{ url: {} }, "url", "https://pay.example.com/2"],
        [{ form: {} }, "form", "https://pay.example.com/3"],
      ] as const) {
        const asked: unknown[] = [];
        const client = await httpClient(served, {
          ...{ era, elicitation: capability },
          answer(question) {
            asked.push({ mode: "form", ...question });
            return { action: "accept", ...(mode === "form" ? { content: { decision: "allow" } } : {}) };
          },
        });
        const call = { name: `mcp__${server}__pay`, arguments: { url } };
        expect(JSON.parse(textOf(await client.callTool(call)))).toMatchObject({ action: "accept" });
        expect(asked).toMatchObject([{ mode, message: expect.stringContaining("Pay here.") }]);
        if (mode === "url") expect(asked).toMatchObject([{ url }]);
        await client.close();
      }
      const no = await httpClient(served, { era, elicitation: { url: {} }, answer: () => ({ action: "cancel" }) });
      const call = { name: `mcp__${server}__pay`, arguments: { url: "https://pay.example.com/no" } };
      expect(JSON.parse(textOf(await no.callTool(call)))).toEqual({ action: "cancel" });
      await no.close();
    },
  );

  it("Q13 that cannot ask anybody has its server told so, and nobody else is asked", async () => {
    const other: Form[] = [];
    const heard = (form: Form): FormAnswer => {
      other.push(form);
      return { action: "cancel" };
    };
    const idle = await httpClient(served, { era, answer: heard });
    const client = await httpClient(served, { era });
    expect(JSON.parse(textOf(await client.callTool(confirm("old"))))).toEqual({ action: "cancel" });
    expect(other).toEqual([]);
    await Promise.all([idle.close(), client.close()]);
  });
});

it("Q13 each of two clients at once is asked about its own call alone", async () => {
  const as = async (size: string) => {
    const asked: string[] = [];
    const answer = async (form: Form): Promise<FormAnswer> => {
      asked.push(form.message);
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { action: "accept", content: { size } };
    };
    const client = await httpClient(served, { answer });
    const said = JSON.parse(textOf(await client.callTool(confirm("old")))) as object;
    await client.close();
    return { said, asked: asked.length };
  };
  expect(await Promise.all([as("S"), as("M")])).toEqual([
    { said: { action: "accept", content: { size: "S" } }, asked: 1 },
    { said: { action: "accept", content: { size: "M" } }, asked: 1 },
  ]);
});

const filledWith =
  (size: string, asked: Form[] = []) =>
  (form: Form): FormAnswer => {
    asked.push(form);
    return { action: "accept", content: { size } };
  };

it("Q13 a server that asks while several calls of one client are in progress asks that client", async () => {
  const asked: Form[] = [];
  const client = await httpClient(served, { answer: filledWith("S", asked) });
  const look = { name: "mcp__pair__look", arguments: {} };
  const said = await Promise.all([client.callTool(look), client.callTool({ ...look, arguments: { again: true } })]);
  expect(said.map(textOf)).toEqual(["accept", "accept"]);
  expect(asked).toHaveLength(1);
  await client.close();
});

it.each(["legacy", "modern"] as const)(
  "Q13 each of several %s clients answers its own question, if the server says for which call it asks",
  async (era) => {
    const forms: Form[][] = [[], []];
    const clients = await Promise.all(
      // Without sessions one token is one client: its two questions are told apart by their calls all the same.
      ["S", "M"].map((size, index) => httpClient(served, { era, answer: filledWith(size, forms[index]) })),
    );
    const look = { name: "mcp__each__look", arguments: {} };
    const said = await Promise.all(clients.map((client) => client.callTool(look)));
    expect(said.map(textOf)).toEqual(['{"size":"S"}', '{"size":"M"}']);
    expect(forms.map(({ length }) => length)).toEqual([1, 1]);
    await Promise.all(clients.map((client) => client.close()));
  },
);

it("Q13 a question that belongs to the call of one of several clients is not shown, and the gateway's log says why", async () => {
  const asked: Form[] = [];
  const answer = (form: Form): FormAnswer => {
    asked.push(form);
    return { action: "accept", content: { size: "S" } };
  };
  const clients = await Promise.all([httpClient(served, { answer }), httpClient(served, { answer })]);
  const look = { name: "mcp__pair__look", arguments: {} };
  expect((await Promise.all(clients.map((client) => client.callTool(look)))).map(textOf)).toEqual(["cancel", "cancel"]);
  expect(asked).toEqual([]);
  expect(served.said()).toMatch(/could not ask: Question from the MCP server "pair"\. .*exactly one call/);
  await Promise.all(clients.map((client) => client.close()));
});
