import { compileCondition } from "@haft/core/hook";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { customTools } from "../../../test/support/custom-tools.ts";
import { textOf } from "../../../test/support/machine.ts";
import type { Answer, ApprovalRequest } from "../../approval/index.ts";
import { lookOf } from "../../tool/index.ts";
import { buildTool, fromBuildTool, type Tool } from "./index.ts";

const inputSchema = z.object({ name: z.string(), path: z.string().optional() });
type Greet = Partial<Tool<typeof inputSchema, string>>;

/** The tool with the answers of one case, as one of ours. */
const greet = (answers: Greet) =>
  fromBuildTool(
    buildTool<typeof inputSchema, string>({
      name: "Greet",
      inputSchema,
      description: async () => "Greets.",
      call: async ({ name }) => ({ data: `hello ${name}` }),
      ...answers,
    }),
  );

const yes = async (): Promise<Answer> => ({ behavior: "allow" });
const call = (answers: Greet, input: object = { name: "x" }, answer = yes) =>
  customTools([greet(answers)], { answer }).call("Greet", input);

/** The request that a person sees. */
async function asked(answers: Greet, input: object = { name: "x" }): Promise<ApprovalRequest | undefined> {
  let seen: ApprovalRequest | undefined;
  const answer = async (request: ApprovalRequest): Promise<Answer> => {
    seen = request;
    return { behavior: "deny", message: "no" };
  };
  await customTools([greet(answers)], { answer }).call("Greet", input);
  return seen;
}

describe("the safety answers of a tool made with buildTool", () => {
  for (const refusal of [false, { result: false, message: "not this one" }, undefined] as const)
    it(`A17 validateInput that answers ${JSON.stringify(refusal)} stops the call`, async () => {
      let ran = false;
      const outcome = await call({
        validateInput: async () => refusal as false,
        call: async () => {
          ran = true;
          return { data: "" };
        },
      });
      expect([outcome.status, outcome.result.error?.code, ran]).toEqual(["error", "validation_failed", false]);
    });

  it("A17 validateInput that answers true lets the call go on", async () => {
    expect(textOf(await call({ validateInput: async () => true }))).toBe("hello x");
  });

  it("A10 isDestructive reaches the question", async () => {
    expect((await asked({ isDestructive: () => true }))?.destructive).toBe(true);
    expect((await asked({ isDestructive: () => false }))?.destructive).toBe(false);
    const careful = await asked({
      isDestructive: () => {
        throw new Error("boom");
      },
    });
    expect(careful?.destructive).toBe(true);
  });

  for (const safe of [true, false])
    it(`A09 isConcurrencySafe ${safe} ${safe ? "lets calls overlap" : "makes each run alone"}`, async () => {
      const bothRun = Promise.withResolvers<string>();
      const first = Promise.withResolvers<string>();
      let running = 0;
      const tool = greet({
        isReadOnly: () => true,
        isConcurrencySafe: () => safe,
        async call({ name }) {
          if (++running === 2) bothRun.resolve("both");
          if (name === "1") first.resolve("first");
          if (safe) await bothRun.promise;
          else await Promise.resolve();
          running--;
          return { data: name };
        },
      });
      const { executor } = customTools([tool], { allow: ["Greet"] });
      const calls = ["1", "2"].map((name) => ({ id: name, tool: "Greet", input: { name } }));
      const outcomes = await executor.run(calls);
      expect(outcomes.map(textOf)).toEqual(["1", "2"]);
      expect(await Promise.race([bothRun.promise, first.promise.then(async () => "one by one")])).toBe(
        safe ? "both" : "one by one",
      );
    });

  it("A18 checkPermissions may correct the input; the call is decided anew, once", async () => {
    const seen: unknown[] = [];
    const outcome = await call({
      async checkPermissions(input) {
        seen.push(input);
        return { behavior: "allow", updatedInput: { ...input, name: `${input.name}!` } };
      },
    });
    expect([textOf(outcome), outcome.rewrittenBy, seen]).toEqual([
      "hello x!",
      "Greet",
      [{ name: "x" }, { name: "x!" }],
    ]);
    const misfit = await call({ checkPermissions: async () => ({ behavior: "allow", updatedInput: { name: 7 } }) });
    expect(misfit.result.error?.code).toBe("invalid_input");
  });

  it("A18 checkPermissions that asks shows its reason and offers its rules, which spare the next question", async () => {
    const rule = (toolName: string) => ({ toolName });
    const suggesting = (...names: string[]): Greet => ({
      checkPermissions: async () => ({
        behavior: "ask",
        message: "Strangers are greeted only when somebody agrees.",
        suggestions: names.map((name) => ({
          type: "addRules",
          rules: [rule(name)],
          behavior: "allow",
          destination: "session",
        })),
      }),
    });
    const request = await asked(suggesting("Greet", "Bash"));
    expect(request?.why).toContain("Strangers");
    expect(request?.suggestions).toEqual([{ label: "Always allow Greet", rules: ["Greet"], scope: "session" }]);
    const remembered = (answers: Greet) => customTools([greet(answers)], { allow: ["Greet"] });
    expect((await remembered(suggesting()).call("Greet", { name: "x" })).status).toBe("denied");
    expect((await remembered(suggesting("Greet")).call("Greet", { name: "x" })).status).toBe("ok");
  });

  it("A28 A42 the tool learns its call's id, and the message that made the call", async () => {
    const tool = greet({
      call: async (_input, _context, _canUseTool, parent) => ({ data: String(parent?.id) }),
      mapToolResultToToolResultBlockParam: (output, id) => ({
        type: "tool_result",
        tool_use_id: id,
        content: `${id} of ${output}`,
      }),
    });
    const { executor } = customTools([tool], { answer: yes });
    const calls = [{ id: "toolu_1", tool: "Greet", input: { name: "x" } }];
    const [told] = await executor.run(calls, { messageId: "msg_7" });
    expect(textOf(told!)).toBe("toolu_1 of msg_7");
    const [untold] = await executor.run([{ ...calls[0]!, id: "toolu_2" }]);
    expect(textOf(untold!)).toMatch(/^toolu_2 of .+/);
  });

  it("A33 isSearchOrReadCommand folds a reading call; one that changes something never", async () => {
    const look = { isSearchOrReadCommand: () => ({ isSearch: false, isRead: true }) };
    const reading = await call({ ...look, isReadOnly: () => true });
    expect(lookOf(reading.traits)).toEqual({ isSearch: false, isRead: true });
    expect(lookOf((await call(look)).traits)).toEqual({ isSearch: false, isRead: false });
  });

  it("A04 a description that needs an input gives way to the tool's other words, and is shown with one", async () => {
    const offered = async (answers: Greet) => {
      const { description } = greet(answers);
      return typeof description === "string" ? description : await description({} as never);
    };
    const description = async ({ name }: { name: string }) => `Greet ${name}`;
    expect(await offered({ description, prompt: () => "Greets by name." })).toBe("Greets by name.");
    expect(await offered({ description, searchHint: "say hello" })).toBe("say hello");
    expect(await offered({ description })).toBe("Greet");
    expect(await offered({ description: async () => "Finds undefined names." })).toBe("Finds undefined names.");
    expect((await asked({ description }))?.show).toEqual({ kind: "text", text: 'Greet x\n{\n  "name": "x"\n}' });
  });

  it("A41 inputJSONSchema stands for the schema", async () => {
    const tool = greet({ inputJSONSchema: { type: "object", properties: { name: { const: "only" } } } });
    const run = (name: string) => customTools([tool], { answer: yes }).call("Greet", { name });
    expect((await run("x")).result.error?.code).toBe("invalid_input");
    expect(textOf(await run("only"))).toBe("hello only");
  });

  it("A46 mcpInfo puts the tool under the rules for its server", async () => {
    const tools = [greet({ isReadOnly: () => true, mcpInfo: { serverName: "people", toolName: "greet" } })];
    for (const deny of ["mcp__people", "mcp__people__greet"]) {
      const outcome = await customTools(tools, { deny: [deny], allow: ["Greet"] }).call("Greet", { name: "x" });
      expect(outcome.result.error?.code).toBe("denied_by_rule");
    }
    const other = await customTools(tools, { deny: ["mcp__animals"], allow: ["Greet"] }).call("Greet", { name: "x" });
    expect(other.status).toBe("ok");
    expect((await customTools(tools, { allow: ["mcp__people"] }).call("Greet", { name: "x" })).status).toBe("denied");
  });

  it("preparePermissionMatcher answers the condition of a hook", async () => {
    const workspace = { root: "/w", startedIn: "/w", cwd: "/w", home: "/h", additional: [], platform: "linux" };
    const compiled = compileCondition("Greet(a*)", workspace);
    if (!("condition" in compiled)) throw new Error(compiled.problem.message);
    const tool = greet({
      preparePermissionMatcher:
        ({ name }) =>
        (specifier) =>
          name.startsWith(specifier.replace("*", "")),
    });
    const met = async (name: string) => {
      let answer: boolean | undefined;
      const { executor } = customTools([tool], { answer: yes });
      const hook = {
        name: "guard",
        before(event: Parameters<NonNullable<import("../../hook/index.ts").Hook["before"]>>[0]) {
          answer = compiled.condition({ ...event, tool: event.identity });
          return undefined;
        },
      };
      await executor.with({ hooks: [hook] }).run([{ id: name, tool: "Greet", input: { name } }]);
      return answer;
    };
    expect([await met("ada"), await met("bob")]).toEqual([true, false]);
  });
});
