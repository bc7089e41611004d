import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import "../../../../../../test/support/seed.ts";
import { HAFT, type Scratch, scratch } from "../../../../test/support/haft-process.ts";
import type { ClientServer } from "../server.ts";
import { openFastPath } from "./fast-path.ts";
import type { PlainCall } from "./plain-call.ts";

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: { readonly content: readonly { readonly text: string }[]; readonly isError?: boolean };
  readonly error?: { readonly code: number };
}

/** A real `haft mcp` whose wire is in the test's hands. */
function wire(place: Scratch, capabilities: object, ...args: string[]) {
  const child = spawn(process.execPath, [...HAFT, "mcp", ...args], { cwd: place.cwd, env: place.env });
  const seen: Message[] = [];
  const waits = new Set<() => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    seen.push(JSON.parse(line) as Message);
    for (const wake of waits) wake();
  });
  const write = (text: string | Buffer) => void child.stdin.write(text);
  const send = (message: object) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  async function heard(isIt: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = seen.find(isIt);
      if (found) return found;
      await new Promise<void>((resolve) => {
        const wake = () => {
          waits.delete(wake);
          resolve();
        };
        waits.add(wake);
      });
    }
  }
  const params = { protocolVersion: "2025-06-18", capabilities, clientInfo: { name: "t", version: "1" } };
  send({ id: 0, method: "initialize", params });
  send({ method: "notifications/initialized" });
  const call = (id: unknown, name: string, input: object, extra: object = {}) =>
    send({ id, method: "tools/call", params: { name, arguments: input, ...extra } });
  return {
    seen,
    write,
    send,
    call,
    heard,
    answer: (id: unknown) => heard((message) => message.id === id && message.method === undefined),
    async end() {
      child.stdin.end();
      await new Promise((resolve) => child.once("close", resolve));
    },
  };
}

let place: Scratch;
beforeAll(() => {
  place = scratch();
  place.write("a.txt", "grüße\n");
});
afterAll(() => place[Symbol.dispose]());

const read = (id: unknown) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "Read", arguments: { file_path: "a.txt" } } })}\n`;

describe("calls over standard input and output", () => {
  it("Q13 are answered whole however the bytes arrive, among lines that mean nothing", {
    tags: ["smoke"],
  }, async () => {
    const line = wire(place, {});
    await line.answer(0);
    const bytes = Buffer.from(`${read("ä")}no json\n{"jsonrpc":"2.0"}\n${read(2)}`);
    for (let at = 0; at < bytes.length; at += 7) line.write(bytes.subarray(at, at + 7));
    for (const id of ["ä", 2]) expect((await line.answer(id)).result?.content[0]?.text).toContain("grüße");
    line.call(3, "Nothing", {});
    expect((await line.answer(3)).result).toMatchObject({ isError: true });
    line.send({ id: 4, method: "tools/call", params: { name: 7 } });
    expect((await line.answer(4)).error?.code).toBe(-32602);
    line.call(5, "Write", { file_path: "long.txt", content: "x".repeat(600_000) });
    expect((await line.answer(5)).result?.isError).toBe(true);
    expect(line.seen.filter(({ id }) => id === 2)).toHaveLength(1);
    await line.end();
  });

  it("Q13 and other requests that are none of the protocol's are refused by their id; a batch is read", async () => {
    const own = wire(place, {});
    await own.answer(0);
    const ls = { method: "tools/call", params: { name: "Ls", arguments: {} } };
    own.send({ id: 1, ...ls, params: { ...ls.params, _meta: { progressToken: {} } } });
    own.send({ id: 2, ...ls, more: 1 });
    own.send({ id: "three", method: "ping", params: [] });
    own.write('{"id": 4, "method": "ping"}\n{"jsonrpc": "2.0", "id": 5.5, "method": "ping"}\n');
    for (const id of [1, 2, "three", 4, 5.5]) expect((await own.answer(id)).error?.code).toBe(-32600);
    const jsonrpc = "2.0";
    const ping = { jsonrpc, id: 7, method: "ping" };
    own.write(
      `${JSON.stringify([{ jsonrpc, id: 6, ...ls }, 1, [ping], null, ping, { jsonrpc, id: 8, method: 5 }])}\n[]\n`,
    );
    expect((await own.answer(6)).result?.content[0]?.text).toContain("a.txt");
    expect((await own.answer(7)).result).toEqual({});
    expect((await own.answer(8)).error?.code).toBe(-32600);
    // A notification gets no answer.
    expect(own.seen.map(({ id }) => id).toSorted()).toEqual([0, 1, 2, 4, 5.5, 6, 7, 8, "three"]);
    await own.end();
  });

  it("Q13 and long batches and long requests that are none are answered like short ones", async () => {
    const own = wire(place, {}, "--allow", "Bash");
    await own.answer(0);
    const jsonrpc = "2.0";
    const long = "x".repeat(400_000);
    const ls = { method: "tools/call", params: { name: "Ls", arguments: {} } };
    own.write(
      `${JSON.stringify([
        { jsonrpc, id: 1, ...ls },
        { jsonrpc, id: 2, method: "ping", params: { long } },
      ])}\n`,
    );
    expect((await own.answer(1)).result?.content[0]?.text).toContain("a.txt");
    expect((await own.answer(2)).result).toEqual({});
    own.send({ id: 3, method: "ping", long });
    expect((await own.answer(3)).error?.code).toBe(-32600);
    // With an id it is no notification, and takes nothing back.
    own.call(4, "Bash", { command: "sleep 1; echo done" });
    own.send({ id: 5, method: "notifications/cancelled", params: { requestId: 4 } });
    expect((await own.answer(5)).error?.code).toBe(-32601);
    expect((await own.answer(4)).result?.content[0]?.text).toContain("done");
    await own.end();
  });

  it("Q13 that are longer than is read are refused by their id, and those after them are answered", async () => {
    const line = wire(place, {});
    await line.answer(0);
    const long = `"method":"tools/call","params":{"name":"Write","arguments":{"id":9,"x":"${"x".repeat(9_000_000)}"}}`;
    line.write(`{"jsonrpc":"2.0","id":"first",${long}}\n{${long},"jsonrpc":"2.0","id":7}\r\n{${long}}\n${read(8)}`);
    expect((await line.answer(8)).result?.content[0]?.text).toContain("grüße");
    expect((await line.answer("first")).error).toMatchObject({
      code: -32600,
      message: expect.stringContaining("smaller"),
    });
    expect((await line.answer(7)).error?.code).toBe(-32600);
    expect(line.seen.some(({ id }) => id === 9)).toBe(false);
    line.call("fits", "Write", { file_path: "long.txt", content: "x".repeat(7_000_000) });
    expect((await line.answer("fits")).result?.content[0]?.text).toContain("needs approval");
    await line.end();
  });

  it("Q13 ask the person behind the client, and go on with the answer", async () => {
    const line = wire(place, { elicitation: {} });
    await line.answer(0);
    line.call("w", "Write", { file_path: "asked.txt", content: "x\n" });
    const question = await line.heard(({ method }) => method === "elicitation/create");
    expect(JSON.stringify(question.params)).toContain("asked.txt");
    expect(existsSync(join(place.cwd, "asked.txt"))).toBe(false);
    line.send({ id: question.id, result: { action: "accept", content: { decision: "allow" } } });
    expect((await line.answer("w")).result?.isError).toBeUndefined();
    expect(existsSync(join(place.cwd, "asked.txt"))).toBe(true);
    await line.end();
  });

  it("Q13 are refused where the client's form fails, and hold up no other call", async () => {
    const line = wire(place, { elicitation: {} });
    await line.answer(0);
    const answers = [{ error: { code: -1, message: "no window" } }, { result: { action: "what" } }];
    for (const [at, answer] of answers.entries()) {
      line.call(`w${at}`, "Write", { file_path: `failed${at}.txt`, content: "x\n" });
      const question = await line.heard(
        ({ method, params }) => method === "elicitation/create" && JSON.stringify(params).includes(`failed${at}.txt`),
      );
      line.send({ id: question.id, ...answer });
      expect((await line.answer(`w${at}`)).result?.content[0]?.text).toContain("needs approval");
      line.call(`ls${at}`, "Ls", { path: "." });
      expect((await line.answer(`ls${at}`)).result?.content[0]?.text).not.toContain("failed");
    }
    await line.end();
  });

  it("Q13 tell their progress where a token for it came with them", async () => {
    const line = wire(place, {}, "--allow", "Bash");
    await line.answer(0);
    const command = "echo one; sleep 0.3; echo two";
    line.call("p", "Bash", { command }, { _meta: { progressToken: "mine" } });
    const news = await line.heard(({ method }) => method === "notifications/progress");
    expect(news.params).toMatchObject({ progressToken: "mine" });
    expect((await line.answer("p")).result?.content[0]?.text).toContain("two");
    await line.end();
  });

  it("Q13 that the client takes back end and are not answered, while they run and while they ask", async () => {
    const line = wire(place, { elicitation: {} }, "--allow", "Bash");
    await line.answer(0);
    line.call("s", "Bash", { command: "echo started; sleep 30" }, { _meta: { progressToken: 1 } });
    await line.heard(({ params }) => params?.message === "started");
    line.send({ method: "notifications/cancelled", params: { requestId: "s", reason: "enough" } });
    line.call("w", "Write", { file_path: "never.txt", content: "x\n" });
    const question = await line.heard(({ method }) => method === "elicitation/create");
    line.send({ method: "notifications/cancelled", params: { requestId: "w" } });
    line.send({ id: question.id, result: { action: "accept", content: { decision: "allow" } } });
    line.write(read("after"));
    await line.answer("after");
    expect(line.seen.filter(({ id }) => id === "s" || id === "w")).toEqual([]);
    expect(existsSync(join(place.cwd, "never.txt"))).toBe(false);
    // It ends with its input, so nothing is left running.
    await line.end();
  });
});

describe("the lane for plain calls", () => {
  const plain = fc
    .record({ name: fc.string(), arguments: fc.dictionary(fc.string(), fc.string()) })
    .map((params) => ({ jsonrpc: "2.0", id: 0, method: "tools/call", params }));
  const odd = fc.constantFrom(
    { jsonrpc: "2.0", id: 1, method: "tools/list" },
    { jsonrpc: "2.0", method: "tools/call", params: { name: "a" } },
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "a", task: {} } },
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "a", _meta: { other: 1 } } },
    { jsonrpc: "2.0", id: null, method: "tools/call", params: { name: "a" } },
  );

  it("Q13 takes just the plain calls and leaves every other byte, however the bytes come", async () => {
    const lines = fc.array(fc.oneof(plain, odd, fc.string({ unit: "binary" })), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(lines, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), async (given, cuts) => {
        let count = 0;
        const texts = given.map((one) =>
          typeof one === "string"
            ? one.replaceAll("\n", " ")
            : JSON.stringify("name" in (one.params ?? {}) && one.id === 0 ? { ...one, id: `c${count++}` } : one),
        );
        const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(""));
        const taken: PlainCall[] = [];
        const input = new PassThrough();
        const lane = openFastPath(input, () => {});
        lane.open({
          server: { getNegotiatedProtocolVersion: () => "2025-06-18" },
          start(call: PlainCall) {
            taken.push(call);
            return { result: Promise.resolve({ content: [] }), cancel() {} };
          },
        } as unknown as ClientServer);
        const left: Buffer[] = [];
        lane.rest.on("data", (chunk: Buffer) => left.push(chunk));
        const ended = new Promise((resolve) => lane.rest.once("end", resolve));
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const cut = cuts[turn % cuts.length]!;
          input.write(bytes.subarray(at, at + cut));
          at += cut;
        }
        input.end();
        await ended;
        const isPlain = (one: (typeof given)[number]) => typeof one !== "string" && one.id === 0;
        expect(taken.map(({ id }) => id)).toEqual(Array.from({ length: count }, (_, at) => `c${at}`));
        const expected = texts.filter((_, at) => !isPlain(given[at]!)).map((text) => `${text}\n`);
        expect(Buffer.concat(left)).toEqual(Buffer.from(expected.join("")));
      }),
    );
  });
});
