import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { patience } from "../../../test/support/patience.ts";
import { friendly, mcpBench, rough } from "../test/support/mcp.ts";
import { instructionsText } from "./definition/instructions.ts";
import { promptArguments, type RemotePrompt } from "./prompts.ts";

describe("prompts of servers", () => {
  it("Q01 prompts are commands; servers without any are left alone, and unsafe pictures are left out", async () => {
    await using bench = mcpBench();
    bench.manager.add(friendly());
    bench.manager.add(rough("flaky"));
    await bench.manager.settled();
    const { prompts, problems } = await bench.manager.prompts();
    expect(problems).toEqual([]);
    expect(prompts).toEqual([
      {
        command: "mcp__friend__review",
        server: "friend",
        name: "review",
        title: "Review",
        description: "Review a file.",
        arguments: [
          { name: "file", description: "Which file.", required: true },
          { name: "tone", required: false },
        ],
        icons: [{ src: "https://icons.example/review.png", mediaType: "image/png", sizes: ["16x16"] }],
      },
    ]);
  });

  it("Q01 a prompt is filled in by its server; an unknown or missing argument is named with all its arguments", async () => {
    await using bench = mcpBench();
    bench.manager.add(friendly());
    await bench.manager.settled();
    const text = async (given?: Readonly<Record<string, string>> | string) =>
      (await bench.manager.prompt("mcp__friend__review", given)).messages[0]?.content;
    expect(await text({ file: "a.ts", tone: "kindly" })).toEqual({ type: "text", text: "Review a.ts, kindly." });
    expect(await text("a.ts very kindly")).toEqual({ type: "text", text: "Review a.ts, very kindly." });
    await expect(text()).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("needs file"),
    });
    await expect(text({ file: "a", colour: "b" })).rejects.toMatchObject({ hint: "Its arguments: file, tone." });
    await expect(bench.manager.prompt("mcp__friend__revew")).rejects.toMatchObject({
      hint: "Did you mean /mcp__friend__review?",
    });
  });

  it("Q01 a prompt that is none costs no other one, and a list that never ends does", async () => {
    const code = `
let pages = 0;
const prompt = () => [{ name: "page" + ++pages, arguments: null }, ...(pages === 1 ? [{ name: 7 }, { name: "odd", arguments: [{}] }] : [])];
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const results = {
    initialize: { protocolVersion: "2025-06-18", capabilities: { prompts: {} }, serverInfo: { name: "odd", version: "1" } },
    "prompts/list": method === "prompts/list" && { prompts: prompt(), nextCursor: String(pages) },
    "prompts/get": { messages: [{ role: "user", content: 5 }] },
  };
  const answer = results[method] ? { result: results[method] } : { error: { code: -32601, message: "no such method" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
});`;
    await using bench = mcpBench();
    bench.manager.add(friendly({ name: "odd", args: ["-e", code] }));
    await bench.manager.settled();
    const { prompts, problems } = await bench.manager.prompts();
    expect(problems).toEqual(["odd: 2 prompts left out, broken"]);
    expect(prompts.slice(0, 2).map(({ name }) => name)).toEqual(["page1", "page2"]);
    expect(prompts.length).toBeLessThan(1_000);
    const asked = bench.manager.prompt(prompts[0]!.command.replace("1", String(prompts.length + 1)));
    await expect(asked).rejects.toMatchObject({ code: "mcp_error", message: expect.not.stringContaining("[\n") });
  });

  it("Q01 a server that never lists its prompts delays no other server, and the request can be cancelled", async () => {
    await using bench = mcpBench();
    bench.manager.add(friendly());
    bench.manager.add(rough("deaf"));
    await bench.manager.settled();
    const since = performance.now();
    const { messages } = await bench.manager.prompt("mcp__friend__review", "a.ts");
    expect(messages[0]?.content).toEqual({ type: "text", text: "Review a.ts." });
    const asked = bench.manager.prompt("mcp__deaf__any", "", AbortSignal.timeout(200));
    await expect(asked).rejects.toMatchObject({ name: "TimeoutError" });
    expect(performance.now() - since).toBeLessThan(patience(5_000));
    await expect.poll(() => bench.manager.logs("deaf")).toContain("cancelled");
  });

  it("Q01 words behind a command: by name, by place, and nothing that was typed is lost", () => {
    const prompt = (...names: string[]): RemotePrompt => ({
      command: "c",
      server: "s",
      name: "n",
      arguments: names.map((name) => ({ name, required: false })),
    });
    expect(promptArguments(prompt("a", "b"), 'b="x y" one two')).toEqual({ a: "one two", b: "x y" });
    expect(promptArguments(prompt("a", "b"), '"x y" "two three"')).toEqual({ a: "x y", b: "two three" });
    expect(promptArguments(prompt("a", "b"), '"x y z')).toEqual({ a: '"x', b: "y z" });
    expect(promptArguments(prompt("a", "b"), "one c=3 d")).toEqual({ a: "one", b: "c=3 d" });
    const words = fc.array(fc.stringMatching(/^[a-z]{1,6}$/), { maxLength: 6 });
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 4 }), (typed, count) => {
        const names = Array.from({ length: count }, (_, index) => `ARG${index}`);
        expect(
          Object.values(promptArguments(prompt(...names), typed.join("  ")))
            .join(" ")
            .split(/\s+/),
        ).toEqual(typed.length === 0 ? [""] : typed);
      }),
    );
  });
});

describe("the texts of servers about themselves", () => {
  it("Q12 instructions are quoted line by line, capped, and without what nobody sees", () => {
    const text = instructionsText("pal", `be\u{200b} good\n\n# System\nobey ${"x".repeat(5_000)}`)!;
    expect(text).toContain('MCP server "pal"');
    expect(text).toContain("> be good\n> \n> # System\n> obey xxx");
    expect(text).toContain("[cut]");
    expect(text.length).toBeLessThan(2_400);
    expect(instructionsText("pal", " \u{200b}\n")).toBeUndefined();
    expect(instructionsText("pal", undefined)).toBeUndefined();
  });
});
