import { createRequire } from "node:module";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ServedHaft, servedHaft } from "../../../../../../test/support/served-haft.ts";
import { type Scratch, scratch } from "../../../../test/support/haft-process.ts";
import { httpClient, textOf } from "../../../../test/support/http-client.ts";

const require = createRequire(import.meta.url);
const program = (name: string) =>
  join(require.resolve(`@modelcontextprotocol/${name}/package.json`), "../dist/index.js");
const tokens = { ann: "a".repeat(20), ben: "b".repeat(20), cyd: "c".repeat(20) };

let place: Scratch;
let served: ServedHaft;

beforeAll(async () => {
  place = scratch();
  place.write("notes.txt", "from the workspace\n");
  place.write(
    "tokens",
    Object.entries(tokens)
      .map((pair) => pair.join(" "))
      .join("\n"),
  );
  const server = (name: string, ...args: string[]) => ({ command: process.execPath, args: [program(name), ...args] });
  const settings = {
    mcpServers: {
      files: server("server-filesystem", place.cwd),
      memory: { ...server("server-memory"), env: { MEMORY_FILE_PATH: join(place.cwd, "memory.json") } },
      all: server("server-everything", "stdio"),
    },
    permissions: {
      allow: ["mcp__files", "mcp__memory__read_graph", "mcp__all", "ReadMcpResource"],
      deny: ["mcp__files__write_file"],
    },
    server: {
      clients: {
        ben: { deny: ["mcp__memory__*"], rules: { deny: ["mcp__files__read_text_file", "ReadMcpResource"] } },
        cyd: { profile: "coding", allow: ["Read"], mode: "plan" },
      },
    },
  };
  place.write("settings.json", JSON.stringify(settings));
  const options = [
    "--gateway",
    "--settings",
    join(place.cwd, "settings.json"),
    "--token-file",
    join(place.cwd, "tokens"),
  ];
  served = await servedHaft(options, { place });
}, 60_000);
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

const as = (name: keyof typeof tokens, era: "legacy" | "modern" = "modern") =>
  httpClient(served, { token: tokens[name], era });
const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

describe("a gateway in front of three servers", () => {
  it("Q13 serves its own tools and theirs under stable names, by one policy", async () => {
    const ann = await as("ann");
    await expect
      .poll(() => namesOf(ann), { timeout: 20_000 })
      .toEqual(
        expect.arrayContaining(["Read", "mcp__files__read_text_file", "mcp__memory__read_graph", "mcp__all__echo"]),
      );
    const names = await namesOf(ann);
    expect(await namesOf(ann)).toEqual(names);
    expect(names).not.toContain("mcp__files__write_file");
    const path = join(place.cwd, "notes.txt");
    const call = (name: string, args: Record<string, unknown>) => ann.callTool({ name, arguments: args });
    expect(textOf(await call("mcp__files__read_text_file", { path }))).toContain("from the workspace");
    expect(textOf(await call("mcp__all__echo", { message: "hi" }))).toContain("hi");
    const weather = await call("mcp__all__get-structured-content", { location: "New York" });
    expect(weather.structuredContent).toMatchObject({ temperature: expect.any(Number) });
    // A call without an allow rule asks, and nobody can answer here.
    const refused = await call("mcp__memory__create_entities", { entities: [] });
    expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining("--allow '")]);
    expect((await call("mcp__files__write_file", { path, content: "x" })).isError).toBe(true);
    await ann.close();
  });

  it("Q13 a profile only takes away: tools that are not there, rules that are stricter, a stricter mode", async () => {
    const [ann, ben, cyd] = [await as("ann"), await as("ben"), await as("cyd")];
    expect((await namesOf(ben)).filter((name) => name.startsWith("mcp__memory"))).toEqual([]);
    const graph = { name: "mcp__memory__read_graph", arguments: {} };
    expect((await ann.callTool(graph)).isError).not.toBe(true);
    expect((await ben.callTool(graph)).isError).toBe(true);
    const read = { name: "mcp__files__read_text_file", arguments: { path: join(place.cwd, "notes.txt") } };
    expect((await ben.callTool(read)).isError).toBe(true);
    expect(await namesOf(cyd)).toEqual(["Read"]);
    expect(textOf(await cyd.callTool({ name: "Read", arguments: { file_path: "notes.txt" } }))).toContain("workspace");
    expect((await cyd.callTool({ name: "Bash", arguments: { command: "ls" } })).isError).toBe(true);
    await Promise.all([ann, ben, cyd].map((client) => client.close()));
  });

  it("Q13 resources of the servers are read by the client's rules", async () => {
    const [ann, ben] = [await as("ann"), await as("ben")];
    const { resources } = await ann.listResources();
    const uri = resources.find((resource) => resource.uri.startsWith("demo://"))?.uri ?? "";
    const { contents } = await ann.readResource({ uri });
    expect(JSON.stringify(contents[0]).length).toBeGreaterThan(20);
    expect((await ben.listResources()).resources).toEqual([]);
    await expect(ben.readResource({ uri })).rejects.toThrow("not found");
    await Promise.all([ann.close(), ben.close()]);
  });
});

describe("results that are too long", () => {
  it.each(["legacy", "modern"] as const)(
    "Q13 are resources of the client that made them, page by page (%s)",
    async (era) => {
      const lines = Array.from({ length: 60_000 }, (_, at) => `line ${at} äöü`).join("\n");
      place.write("long.txt", lines);
      const [ann, ben] = [await as("ann", era), await as("ben", era)];
      const grep = { pattern: "line", path: "long.txt", output_mode: "content", head_limit: 60_000 };
      const result = await ann.callTool({ name: "Grep", arguments: grep });
      const link = (result.content as { type: string; uri: string; size: number }[]).find(
        ({ type }) => type === "resource_link",
      );
      expect(link?.uri).toMatch(/^haft:\/\/results\/[0-9a-f]{32}$/);
      let [uri, whole] = [link?.uri, ""];
      while (uri !== undefined) {
        const [page] = (await ann.readResource({ uri })).contents;
        whole += (page as { text: string }).text;
        uri = page?._meta?.["haft/next"] as string | undefined;
      }
      expect(Buffer.byteLength(whole)).toBe(link?.size);
      expect(whole).toContain("line 0 äöü");
      expect(whole).toContain("line 59999 äöü");
      expect((await ann.listResources()).resources.map((one) => one.uri)).toContain(link?.uri);
      await expect(ben.readResource({ uri: link?.uri ?? "" })).rejects.toThrow("not found");
      const file_path = /The whole result is in (.+?);/.exec(textOf(result))?.[1];
      expect((await ann.callTool({ name: "Read", arguments: { file_path, limit: 3 } })).isError).not.toBe(true);
      expect((await ben.callTool({ name: "Read", arguments: { file_path, limit: 3 } })).isError).toBe(true);
      await Promise.all([ann.close(), ben.close()]);
    },
  );
});

it("Q13 without --gateway the configured servers are neither started nor served, unless the settings want it", async () => {
  const plain = await servedHaft(["--settings", join(place.cwd, "settings.json")], { place });
  const client = await httpClient(plain);
  expect((await namesOf(client)).filter((name) => name.startsWith("mcp__"))).toEqual([]);
  await client.close();
  await plain.end();
});
