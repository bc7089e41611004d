import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { printHost } from "../../test/support/print-host.ts";
import { type ScriptStep, says, scriptedModel } from "../../test/support/scripted-model.ts";
import { sessionPlaces } from "../../test/support/session-places.ts";
import { readFlags, runPrint } from "./index.ts";

const places = sessionPlaces("print-commands");
const host = (turns: readonly (readonly ScriptStep[])[]) => printHost(places, turns);
const namesOf = (value: unknown) => value as readonly string[];

describe("commands in the messages of a host", () => {
  it("E25 offers those that work, and leaves mode and model to requests", async () => {
    const it = host([says("Plain text.")]);
    const { response } = await it.ask({ subtype: "initialize" });
    const { commands } = response as { readonly commands: readonly { readonly name: string }[] };
    const result = await it.prompt("/mode bypassPermissions");
    const offered = namesOf(it.of("system")[0]!.slash_commands);
    expect(offered).toEqual(expect.arrayContaining(["clear", "compact", "cost"]));
    expect(commands.map(({ name }) => name)).toEqual(offered);
    expect(offered).not.toContain("mode");
    expect(offered).not.toContain("model");
    expect(result).toMatchObject({ result: "Plain text." });
    expect(it.of("system").some(({ subtype }) => subtype === "status")).toBe(false);
    await it.end();
  });

  it("E25 /cost and /clear answer without the model; the next prompt begins anew", async () => {
    const it = host([says("Hello."), says("Hello again.")]);
    expect(await it.prompt("/cost")).toMatchObject({ result: "No request to the model yet." });
    await it.prompt("My name is Ada.");
    const cost = await it.prompt("/cost");
    expect(cost).toMatchObject({ subtype: "success", num_turns: 0, result: expect.stringContaining("1 request") });
    expect(it.of("system").findLast(({ subtype }) => subtype === "local_command_output")!.content).toBe(cost.result);
    expect(await it.prompt("/clear")).toMatchObject({ subtype: "success", num_turns: 0 });
    await it.prompt("Who am I?");
    expect(JSON.stringify(it.model.requests.at(-1)!.messages)).not.toContain("Ada");
    expect(it.model.requests).toHaveLength(2);
    await it.end();
  });

  it("E25 /compact shortens the conversation with the words after it, and fails aloud where there is none", async () => {
    const it = host([says("Hello."), says("A long story."), says("SUMMARY"), says("Yes.")]);
    expect(await it.prompt("/compact")).toMatchObject({ subtype: "error_during_execution", is_error: true });
    await it.prompt("My name is Ada.");
    await it.prompt("Tell me a story.");
    expect(await it.prompt("/compact keep the name")).toMatchObject({ subtype: "success", num_turns: 0 });
    expect(JSON.stringify(it.model.requests.at(-1)!.messages)).toContain("keep the name");
    expect(it.of("system").find(({ subtype }) => subtype === "compact_boundary")).toMatchObject({
      compact_metadata: { trigger: "manual" },
    });
    await it.prompt("Do you know me?");
    expect(JSON.stringify(it.model.requests.at(-1)!.messages)).toContain("SUMMARY");
    await it.end();
  });

  it("E25 a Markdown command sends its text, also from `haft -p`", async () => {
    const { cwd, options } = places.make();
    const { settings: _, ...rest } = options;
    const folder = join(cwd, ".claude/commands");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "greet.md"), "---\ndescription: greets\n---\nGreet $ARGUMENTS politely.\n");
    const model = scriptedModel([says("Good day, Ada.")]);
    let printed = "";
    const isGood = await runPrint({
      flags: readFlags(["-p", "/greet Ada"]),
      session: { ...rest, trusted: true, model },
      version: "0",
      lines: (async function* () {})(),
      write(text) {
        printed += text;
      },
      warn: () => {},
    });
    expect({ isGood, printed }).toEqual({ isGood: true, printed: "Good day, Ada.\n" });
    expect(JSON.stringify(model.requests[0]!.messages)).toContain("Greet Ada politely.");
  });
});
