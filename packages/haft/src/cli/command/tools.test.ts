import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Scratch, scratch } from "../../../test/support/haft-process.ts";

let place: Scratch;

beforeAll(() => {
  place = scratch();
});
afterAll(() => place[Symbol.dispose]());

const tools = async (...args: string[]) => {
  const { code, stdout, stderr } = await place.haft(["tools", ...args, "--json"]);
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout) as Record<string, unknown>[];
};

it("C17 lists every offered tool with origin, group, kind, effects, schema and cost", async () => {
  const [read] = (await tools("list")).filter(({ name }) => name === "Read");
  expect(read).toEqual({
    name: "Read",
    aliases: expect.arrayContaining(["read_file"]),
    source: "builtin",
    group: "files",
    kind: "read",
    can: ["read"],
    description: expect.stringContaining("Reads"),
    inputSchema: expect.objectContaining({ type: "object" }),
    tokens: expect.any(Number),
    offered: true,
  });
  const { name, description, inputSchema, tokens } = read!;
  const definition = JSON.stringify({ name, description, input_schema: inputSchema });
  expect(tokens).toBe(Math.ceil(definition.length / 4));
});

it("F05 a profile that leaves no tool to a list says where the reasons are, and each reason is there", async () => {
  place.write("minimal.json", JSON.stringify({ policy: { profile: "minimal" } }));
  const { stdout } = await place.haft(["tools", "list", "--settings", "minimal.json"]);
  expect(stdout).toBe("No tool is offered. `haft tools list --all` gives the reason for each.\n");
  const all = await tools("list", "--all", "--settings", "minimal.json");
  const why = (tool: string) => all.find(({ name }) => name === tool)?.why;
  expect(why("session_status")).toBe("this session is not registered with others");
  expect(why("Read")).toContain('the profile "minimal"');
});

describe("C17 why a tool is not offered", () => {
  it.each([
    ["a deny rule", ["--deny", "Bash"], "Bash", "deny Bash"],
    ["the settings", ["--settings", "off.json"], "Read", "tools.Read.enabled"],
    ["a switch for all", ["--settings", "none.json"], "Grep", "enableToolCalls"],
    ["a policy list", ["--settings", "policy.json"], "Write", "deny"],
  ])("%s", async (_what, args, name, why) => {
    place.write("off.json", JSON.stringify({ tools: { Read: { enabled: false } } }));
    place.write("none.json", JSON.stringify({ enableToolCalls: false }));
    place.write("policy.json", JSON.stringify({ policy: { deny: ["Write"] } }));
    const [all, offered] = await Promise.all([tools("list", "--all", ...args), tools("list", ...args)]);
    const tool = all.find((one) => one.name === name);
    expect(tool).toMatchObject({ offered: false, why: expect.stringContaining(why) });
    expect(offered.map((one) => one.name)).not.toContain(name);
  });
});

it("D13 with enableToolCalls off nothing is offered", async () => {
  place.write("none.json", JSON.stringify({ enableToolCalls: false }));
  expect(await tools("list", "--settings", "none.json")).toEqual([]);
});

it("names the nearest where a name or a verb is misspelt", async () => {
  const ends = await Promise.all([
    place.haft(["tools", "show", "Bsh"]),
    place.haft(["tools", "lsit"]),
    place.haft(["tools", "show"]),
    place.haft(["tools", "search"]),
  ]);
  expect(ends.map(({ code }) => code)).toEqual([2, 2, 2, 2]);
  expect(ends[0]?.stderr).toContain("Did you mean Bash?");
  expect(ends[1]?.stderr).toContain("Did you mean tools list?");
});
