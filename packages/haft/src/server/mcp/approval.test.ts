import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ServedHaft, servedHaft } from "../../../../../test/support/served-haft.ts";
import {
  type Form,
  type FormAnswer,
  httpClient,
  initialize,
  modernCall,
  post,
  textOf,
} from "../../../test/support/http-client.ts";

let served: ServedHaft;
beforeAll(async () => {
  served = await servedHaft();
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
});

const made = (name: string) => existsSync(join(served.place.cwd, name));
const write = (name: string) => ({ name: "Write", arguments: { file_path: name, content: "x\n" } });
const yes: FormAnswer = { action: "accept", content: { decision: "allow" } };

describe.each(["legacy", "modern"] as const)("an approval over the %s protocol", (era) => {
  it("Q13 is a form for the person behind the client; it shows what would happen, and a yes lets it", async () => {
    const forms: Form[] = [];
    const answer = (form: Form) => {
      forms.push(form);
      return yes;
    };
    const client = await httpClient(served, { era, answer });
    expect(textOf(await client.callTool(write(`yes-${era}.txt`)))).not.toContain("refused");
    expect(readFileSync(join(served.place.cwd, `yes-${era}.txt`), "utf8")).toBe("x\n");
    expect(forms).toHaveLength(1);
    expect(forms[0]?.message).toContain(`yes-${era}.txt`);
    expect(forms[0]?.message).toContain("+x");
    await client.close();
  });

  it.each<[string, FormAnswer]>([
    ["no", { action: "accept", content: { decision: "deny", message: "rather not" } }],
    ["decline", { action: "decline" }],
    ["cancel", { action: "cancel" }],
    ["an unknown word", { action: "accept", content: { decision: "certainly" } }],
    ["nothing", { action: "accept", content: {} }],
  ])("Q13 with %s does nothing", async (word, answer) => {
    const client = await httpClient(served, { era, answer: () => answer });
    const result = await client.callTool(write("no.txt"));
    expect(result.isError).toBe(true);
    if (word === "no") expect(textOf(result)).toContain("rather not");
    expect(made("no.txt")).toBe(false);
    await client.close();
  });

  it("Q13 of a client that cannot ask anybody is a denial that names the cure", async () => {
    const client = await httpClient(served, { era });
    const result = await client.callTool(write("no.txt"));
    expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining("--allow '")]);
    expect(made("no.txt")).toBe(false);
    await client.close();
  });
});

it("Q13 U16 a form shows what hides, the end of what is long, and a diff without its own heading", async () => {
  const forms: Form[] = [];
  const answer = (form: Form): FormAnswer => {
    forms.push(form);
    return { action: "decline" };
  };
  const client = await httpClient(served, { era: "legacy", answer });
  const hidden = "echo a\u001b[2K\u202eb\u200b";
  await client.callTool({ name: "Bash", arguments: { command: `${hidden}; ${"true; ".repeat(2_000)}rm -rf build` } });
  expect(forms[0]?.message).toContain("echo a␛[2K‹U+202E›b‹U+200B›; true; ");
  expect(forms[0]?.message).toMatch(/\n\[\d+ more characters are not shown\]\n[\s\S]*true; rm -rf build\n/);
  await client.callTool(write("shown.txt"));
  const path = join(served.place.cwd, "shown.txt");
  expect(forms[1]?.message).toContain(
    `Allow Write shown.txt?\n\n${path}  +1 -0\n@@ -0,0 +1,1 @@\n+x\n\nAsked because: `,
  );
  await client.close();
});

it("Q13 a lasting permission of one client's person holds for that client alone", async () => {
  let asked = 0;
  const answer = ({ requestedSchema }: Form): FormAnswer => {
    asked++;
    const lasting = requestedSchema.properties.decision?.oneOf?.find(({ const: word }) => word.startsWith("allow-"));
    return { action: "accept", content: { decision: lasting?.const ?? "allow" } };
  };
  const [ann, ben] = [await httpClient(served, { answer }), await httpClient(served)];
  const run = { name: "Bash", arguments: { command: "touch granted" } };
  expect((await ann.callTool(run)).isError).not.toBe(true);
  expect((await ann.callTool(run)).isError).not.toBe(true);
  expect(asked).toBe(1);
  expect((await ben.callTool(run)).isError).toBe(true);
  await Promise.all([ann.close(), ben.close()]);
});

describe("the state that a client brings back", () => {
  interface Answer {
    readonly result?: { resultType?: string; requestState?: string; inputRequests?: object; isError?: boolean };
    readonly error?: { code: number };
  }
  const send = async (name: string, more: object = {}): Promise<Answer> => {
    const { arguments: args } = write(name);
    const { body, headers } = modernCall("Write", args, more);
    return (await (await post(served, body, headers)).json()) as Answer;
  };
  const first = async (name: string) => {
    const { result } = await send(name);
    const [key = ""] = Object.keys(result?.inputRequests ?? {});
    return { requestState: result?.requestState ?? "", inputResponses: { [key]: yes } };
  };

  it("Q13 is good for one return, for this very call, and only as it was given out", async () => {
    const back = await first("state.txt");
    expect(await send("other.txt", back)).toMatchObject({ error: { code: -32602 } });
    expect(await send("state.txt", { ...back, requestState: `${back.requestState}x` })).toMatchObject({
      error: { code: -32602 },
    });
    expect([made("state.txt"), made("other.txt")]).toEqual([false, false]);
    expect((await send("state.txt", back)).result?.resultType).toBe("complete");
    expect(made("state.txt")).toBe(true);
    expect(await send("state.txt", back)).toMatchObject({ error: { code: -32602 } });
  });

  it("Q13 no answer counts that comes before its question, nor one to another", async () => {
    const back = await first("early.txt");
    expect((await send("early2.txt", { inputResponses: back.inputResponses })).result?.resultType).toBe(
      "input_required",
    );
    const again = await send("early.txt", { requestState: back.requestState, inputResponses: { other: yes } });
    expect(again.result?.resultType).toBe("input_required");
    expect([made("early.txt"), made("early2.txt")]).toEqual([false, false]);
  });

  it("Q13 holds nothing while the client is away: others may do the same, and then a person looks again", async () => {
    const back = await first("shared.txt");
    expect((await send("shared.txt", await first("shared.txt"))).result?.resultType).toBe("complete");
    // The file is there now: what the first was asked about is no longer what would happen.
    const late = await send("shared.txt", back);
    expect([late.result?.resultType, late.result?.requestState === back.requestState]).toEqual([
      "input_required",
      false,
    ]);
  });

  it("Q13 of one client is nothing to another", async () => {
    const file = served.place.write("tokens", `ann ${"a".repeat(20)}\nben ${"b".repeat(20)}\n`);
    await using two = await servedHaft(["--token-file", file], { place: served.place });
    const { arguments: args } = write("stolen.txt");
    const sendAs = async (letter: string, more: object = {}) => {
      const { body, headers } = modernCall("Write", args, more);
      return (await (await post({ ...two, token: letter.repeat(20) }, body, headers)).json()) as Answer;
    };
    const { result } = await sendAs("a");
    const [key = ""] = Object.keys(result?.inputRequests ?? {});
    const stolen = await sendAs("b", { requestState: result?.requestState, inputResponses: { [key]: yes } });
    expect([stolen.error?.code, made("stolen.txt")]).toEqual([-32602, false]);
  });
});

it("Q13 a client that vanishes in the middle of an approval leaves nothing that could run later", async () => {
  const opened = await post(served, initialize({ elicitation: {} }));
  await opened.body?.cancel();
  const session = {
    "Mcp-Session-Id": opened.headers.get("mcp-session-id") ?? "",
    "MCP-Protocol-Version": "2025-11-25",
  };
  const call = { jsonrpc: "2.0", id: 9, method: "tools/call", params: write("vanished.txt") };
  const response = await post(served, call, session);
  const reader = response.body!.getReader();
  let heard = "";
  while (!heard.includes("elicitation/create")) heard += new TextDecoder().decode((await reader.read()).value);
  const { id } = JSON.parse(/data: (.*elicitation.*)/.exec(heard)?.[1] ?? "{}") as { id: number };
  await reader.cancel();
  const log = async () => (await served.place.haft(["log", "--session", "last", "--calls", "--json"])).stdout;
  await expect.poll(log, { timeout: 5_000 }).toMatch(/vanished\.txt[\s\S]*cancelled|cancelled[\s\S]*vanished\.txt/);
  // The answer comes, but nobody waits for it any more.
  await post(served, { jsonrpc: "2.0", id, result: yes }, session);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(made("vanished.txt")).toBe(false);
});
