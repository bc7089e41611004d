import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jsonLines, type Scratch, scratch } from "../../../test/support/haft-process.ts";

let place: Scratch;

const catalog = [
  { server: "mail", name: "send_message", description: "Send an e-mail.", inputSchema: { type: "object" } },
  { server: "tracker", name: "create_issue", description: "Create an issue in a project." },
  { name: "lonely" },
];

beforeAll(() => {
  place = scratch();
  place.write("catalog.json", JSON.stringify(catalog));
});
afterAll(() => place[Symbol.dispose]());

const search = (args: readonly string[], input = "") => place.haft(["tools", "search", ...args], { input });

describe("haft tools search", () => {
  it("N13 ranks the offered tools, and says where each comes from", async () => {
    const { code, stdout, stderr } = await search(["find", "files", "--json"]);
    expect([code, stderr]).toEqual([0, ""]);
    const { query, results } = JSON.parse(stdout) as { query: string; results: Record<string, unknown>[] };
    expect(query).toBe("find files");
    expect(results[0]).toEqual({ name: "Glob", server: "haft", score: expect.any(Number) });
    expect(results.length).toBeLessThanOrEqual(5);
    expect((await search(["find files"])).stdout).toMatch(/Glob\s+haft/);
  });

  it("N13 leaves out what is not offered, unless all are wanted", async () => {
    const named = async (...more: string[]) =>
      (await search(["select:Bash", "--json", "--deny", "Bash", ...more])).stdout;
    expect(JSON.parse(await named())).toEqual({ query: "select:Bash", results: [] });
    expect(await named("--all")).toContain('"name":"Bash"');
  });

  it("N13 searches a catalog, a line in and a line out", async () => {
    const lines = [
      '{"query": "an email to Anna"}',
      "nonsense",
      '{"query": 1}',
      '{"query": "+tracker"}',
      '"+tracker"',
      "null",
      '{"query": ""}',
    ];
    const { code, stdout } = await search(["--catalog", "catalog.json", "--jsonl", "-", "--json"], lines.join("\n"));
    expect(code).toBe(2);
    expect(jsonLines(stdout)).toEqual([
      { query: "an email to Anna", results: [{ name: "send_message", server: "mail", score: expect.any(Number) }] },
      { line: 2, status: "error", error: expect.objectContaining({ code: "invalid_json" }) },
      { line: 3, status: "error", error: expect.objectContaining({ code: "invalid_json" }) },
      { query: "+tracker", results: [{ name: "create_issue", server: "tracker", score: expect.any(Number) }] },
      { query: "+tracker", results: [{ name: "create_issue", server: "tracker", score: expect.any(Number) }] },
      { line: 6, status: "error", error: expect.objectContaining({ code: "invalid_json" }) },
      { query: "", results: [] },
    ]);
    const one = await search(["--catalog", "catalog.json", "new", "ticket", "--json"]);
    expect(JSON.parse(one.stdout).results[0].name).toBe("create_issue");
  });

  it("N13 a blank line is no search and no error, the last one least of all; lines are counted as they stand", async () => {
    const lines = ["", '"+tracker"', "  ", "nonsense", "\r", '"+mail"', "", ""];
    const of = (input: string) => search(["--catalog", "catalog.json", "--jsonl", "-"], input);
    const { code, stdout } = await of(lines.join("\n"));
    expect(code).toBe(2);
    expect(jsonLines(stdout)).toMatchObject([{ query: "+tracker" }, { line: 4, status: "error" }, { query: "+mail" }]);
    expect([(await of('"+mail"\n\n')).code, await of("\n")]).toEqual([0, { code: 0, stdout: "", stderr: "" }]);
    const usage = (await place.haft(["tools", "--help"])).stdout;
    expect(usage).toContain("blank");
    expect((await place.haft(["help", "tools"])).stdout).toBe(usage);
  });

  it("N13 refuses a command line or a catalog that makes no sense", async () => {
    place.write("object.json", "{}");
    place.write("nameless.json", '[{"name": "a"}, {"title": "b"}]');
    const ends = await Promise.all([
      search([]),
      search(["word", "--jsonl", "-"]),
      search(["word", "--catalog", "missing.json"]),
      search(["word", "--catalog", "object.json"]),
      search(["word", "--catalog", "nameless.json"]),
      place.haft(["tools", "list", "--catalog", "catalog.json"]),
    ]);
    expect(ends.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2, 2]);
    expect(ends.map(({ stderr }) => stderr).join("")).toContain("Tool 2 of nameless.json has no name.");
  });
});
