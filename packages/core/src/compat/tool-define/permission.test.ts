import { getCommandPattern } from "@haft/core/policy";
import { expect, it } from "vitest";
import { z } from "zod";
import { customTools } from "../../../test/support/custom-tools.ts";
import { textOf } from "../../../test/support/machine.ts";
import { checkFileAccess, fromToolDefine, Permission, Tool } from "./index.ts";

/** The sample of the documents; what runs the command is left out. */
const bash = (ran: string[]) =>
  Tool.define("sample_bash", {
    name: "Bash",
    description: "Runs a command",
    category: "custom",
    parameters: z.object({ command: z.string() }),
    async execute({ command }, { sessionId, messageId, toolCallId }) {
      const permission = await Permission.ask({
        type: "bash_command",
        pattern: getCommandPattern(command),
        sessionId,
        messageId,
        callId: toolCallId,
        title: `Execute: ${command}`,
      });
      if (permission !== "allow") throw new Error("Command rejected by user");
      ran.push(command);
      return { title: command, output: "done", metadata: {} };
    },
  });

it("F26 G10 Permission.ask inside a tool: the question shows the command, a no runs nothing", async () => {
  const ran: string[] = [];
  const asked: unknown[] = [];
  const { call } = customTools([fromToolDefine(bash(ran))], {
    allow: ["sample_bash"],
    answer: async ({ title, show, agent }) => {
      asked.push([title, show, agent.id]);
      return { behavior: title.includes("push") ? "deny" : "allow" };
    },
  });
  expect(textOf(await call("sample_bash", { command: "git commit -m x" }))).toBe("done");
  expect(textOf(await call("sample_bash", { command: "git push" }))).toContain("Command rejected by user");
  expect(ran).toEqual(["git commit -m x"]);
  expect(asked[0]).toEqual(["Execute: git commit -m x", { kind: "text", text: "bash_command: git commit *" }, "main"]);
});

it("F27 two questions at once find each its own call, and one outside a call is a no", async () => {
  const ran: string[] = [];
  const { call } = customTools([fromToolDefine(bash(ran))], {
    allow: ["sample_bash"],
    answer: async ({ title }) => ({ behavior: title.includes("one") ? "allow" : "deny" }),
  });
  await Promise.all([call("sample_bash", { command: "one" }, "a"), call("sample_bash", { command: "two" }, "b")]);
  expect(ran).toEqual(["one"]);
  expect(await Permission.ask({ type: "x", sessionId: "s", callId: "gone", title: "Late" })).toBe("deny");
});

it("F31 with nobody there to ask, Permission.ask is a no", async () => {
  const ran: string[] = [];
  const { call } = customTools([fromToolDefine(bash(ran))], { allow: ["sample_bash"] });
  await call("sample_bash", { command: "one" });
  expect(ran).toEqual([]);
});

const peek = Tool.define("peek", {
  name: "Peek",
  description: "Looks where a path leads",
  category: "custom",
  autoExecute: true,
  parameters: z.object({ path: z.string(), operation: z.enum(["read", "write"]) }),
  async execute({ path, operation }, ctx) {
    return { title: path, output: await checkFileAccess(path, ctx, operation), metadata: {} };
  },
});

it("G13 checkFileAccess gives the real path inside, asks outside with path and operation, and rejects a no", async () => {
  const asked: string[] = [];
  const { call } = customTools([fromToolDefine(peek)], {
    deny: ["read(secret/**)"],
    basis: "enforced",
    answer: async ({ title }) => {
      asked.push(title);
      return { behavior: title.includes("/etc") ? "deny" : "allow" };
    },
  });
  const reach = async (path: string, operation: "read" | "write" = "read") =>
    textOf(await call("peek", { path, operation }));
  expect(await reach("a.ts")).toBe("/w/a.ts");
  expect(asked).toEqual([]);
  expect(await reach("/opt/x")).toBe("/opt/x");
  expect(await reach("/etc/passwd", "write")).toMatch(/refused|rejected/);
  expect(await reach("a.ts", "write")).toBe("/w/a.ts");
  expect(asked).toEqual(["read /opt/x", "write /etc/passwd", "write /w/a.ts"]);
  expect(await reach("secret/key")).toContain("secret/**");
  expect(asked).toHaveLength(3);
});
