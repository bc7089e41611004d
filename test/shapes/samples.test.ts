// The samples of other systems in our own minimal words: they compile, and here they run.
import { join } from "node:path";
import { fromSema } from "@haft/core/compat/sema";
import { afterAll, expect, it } from "vitest";
import * as first from "./samples/000.ts";
import * as second from "./samples/001.ts";
import * as third from "./samples/002.ts";
import { MyTool } from "./samples/003.ts";
import * as last from "./samples/004.ts";
import { declared, defined, session } from "./samples/host.ts";
import { closeSessions } from "./session.ts";

afterAll(closeSessions);
const { haft, cwd } = session;

it("A47 the samples of sema-core run: lists of tools, and a tool with every optional method", async () => {
  expect(first.allTools.length).toBeGreaterThan(40);
  expect(first.filteredTools.map(({ name }) => name).sort()).toEqual(["Glob", "Grep", "Read"]);
  expect(first.allToolsAgain.length).toBeGreaterThan(first.filteredTools.length);
  expect(first.toolInfos).toContainEqual({ name: "Bash", description: expect.any(String), status: "enable" });
  expect(first.sdkTools).toHaveLength(3);
  haft.registry.add({ origin: "custom", name: "host" }, [fromSema(first.Shout)]);
  expect((await haft.call("Shout", { word: "ho" })).content).toEqual([{ type: "text", text: "It was shouted: HO" }]);
  expect((await haft.call("Shout", { word: "" })).error?.message).toContain("Say something.");
});

it("A47 the samples of the Tool.define app run: static, asynchronous, generic, and the channel for calls", async () => {
  await second.start();
  for (const tool of [second.readTool, second.GlobTool]) defined.registerToolV2(tool);
  defined.registerToolV2(second.skillTool);
  const ask = (toolId: string, args: unknown) =>
    second.handle({ toolId, arguments: args, messageId: "m", sessionId: "s" });
  expect(await ask("read_one", { file_path: "a.ts" })).toEqual({
    success: true,
    result: { title: "Read", output: "a.ts", metadata: {} },
    error: undefined,
  });
  expect(await ask("glob_one", { pattern: "*.ts" })).toMatchObject({ result: { title: "Found 1 files" } });
  const skills = [{ name: "pdf" }];
  const made = await defined.executeTool("skill_one", { skill: "pdf" }, { sessionId: "s", messageId: "m", skills });
  expect(made).toMatchObject({ success: true, data: { output: `pdf in ${cwd}` } });
  const steps: string[] = [];
  const request = { task: "**/*.ts", context: "", expectedOutcome: "", sessionId: "s", messageId: "m" };
  const ended = await second.executeToolAgent(request, {}, { onStepComplete: ({ toolName }) => steps.push(toolName) });
  expect([ended.success, steps]).toEqual([true, ["Glob"]]);
});

it("A47 the samples of the AgentTool shape run: definitions, the client's tools, a policy, a plugin's tool", async () => {
  const [read] = third.definitions;
  const path = join(cwd, "src/a.ts");
  expect(await read!.execute("1", { file_path: path })).toMatchObject({ details: { path, lines: 2 } });
  expect(JSON.stringify(await third.clientDefinitions[0]!.execute("1", {}))).toContain("pending");
  expect(third.allowed).toEqual([true, false, false]);
  expect(await third.myTool.execute("1", { input: "x" })).toMatchObject({ details: { result: "ok" } });
});

it("A47 the sample of the class route runs through its registry", async () => {
  declared.registerTool(new MyTool());
  const tool = declared.getTool("my_custom_tool")!;
  const invocation = tool.build({ input: "x" });
  expect(invocation.getDescription()).toBe("Processing: x");
  expect(await invocation.execute(new AbortController().signal)).toMatchObject({
    llmContent: [{ text: "Processed: x" }],
  });
});

it("C07 the sample with buildTool runs: base tools without those that a rule forbids entirely", () => {
  const names = (rules: readonly string[]) => last.getTools({ alwaysDenyRules: rules }).map(({ name }) => name);
  expect(names([])).toEqual(expect.arrayContaining(["Bash", "Read"]));
  expect(names(["Bash", "Read(secrets/**)"])).toContain("Read");
  expect(names(["Bash", "Read(secrets/**)"])).not.toContain("Bash");
  expect(last.EchoTool.maxResultSizeChars).toBe(30_000);
});
