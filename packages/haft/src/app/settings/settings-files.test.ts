import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createHaft } from "../create-haft.ts";

let base: string;
let cwd: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-files-")));
  cwd = join(base, "work");
  mkdirSync(join(cwd, ".haft"), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** What is decided of `ls -l` under a project's settings file of this content; the complaint where there is one. */
async function decided(content: string | Buffer): Promise<string> {
  writeFileSync(join(cwd, ".haft/settings.json"), content);
  try {
    await using haft = await createHaft({ cwd, home: base, stateDir: join(base, "state"), env: {} });
    return /"decision":"(\w+)"/.exec(JSON.stringify(await haft.explain("Bash", { command: "ls -l" })))?.[1] ?? "";
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

const DENY = `{"permissions": {"deny": ["Bash(ls *)"]}}`;

describe("a settings file that says less than it seems to", () => {
  it.each([
    [
      `{"permissions": {"deny": ["Bash(ls *)"],\n "deny": []}}`,
      /settings\.json:2: error: "permissions\.deny" is there twice \(line 1/,
    ],
    [`{permissions: {deny: ["Bash(ls *)"]}, "permissions": {}}`, /"permissions" is there twice/],
    [`{permissions: {deny: ["Bash(ls *)"], "d\\u0065ny": []}}`, /"permissions\.deny" is there twice/],
    [`{permissions: {deny: ["Bash(ls *)"], d\\u0065ny: []}}`, /"permissions\.deny" is there twice/],
    [`{permissions: {'deny': ["Bash(ls *)"], /* , */ deny /* : */ : []}}`, /"permissions\.deny" is there twice/],
    [Buffer.concat([Buffer.from(DENY.slice(0, 30)), Buffer.from([0xff]), Buffer.from(DENY.slice(30))]), /not UTF-8/],
    [Buffer.from(`\ufeff${DENY}`, "utf16le"), /not UTF-8/],
    [`{"permissions": {"deny": ["Bash(ls *), Bash(rm *)"]}}`, /Several rules in one text/],
    [`{"permissions": {"deny": ["Bash(ls\\u0000 *)"]}}`, /control character/],
    [`${"[".repeat(100_000)}${"]".repeat(100_000)}`, /More than 32 levels/],
    [`{"model": ${"{x:".repeat(50_000)}1${"}".repeat(50_000)}}`, /More than 32 levels/],
    [`{"permissions": {"deny": ["Read(${"x".repeat(4_000_000)})"]}}`, /bytes; settings have 4000000 at most/],
  ])("V09 is refused: %#", async (content, complaint) => {
    expect(await decided(content)).toMatch(complaint);
  });

  it.each([
    `\ufeff${DENY}`,
    `// deny: [], deny: []\n${DENY}`,
    `{"permissions": {"deny": ["Bash(ls *)"], "tests": [{"rule": "Bash(a)", "match": []}, {"rule": "Bash(a)", "match": []}]}}`,
    `{"permissions": {"deny": ["Bash(ls *)"]}, "tools": {"Bash": {"autoExecute": false}, "Read": {"autoExecute": false}}}`,
  ])("V09 and what is sound is not: %s", async (content) => {
    expect(await decided(content)).toMatch(/deny|tests/);
    expect(await decided(content)).not.toContain("twice");
  });

  it("V09 a key that is written twice is found wherever it stands", async () => {
    const others = fc.constantFrom("", "ask: [],", "/* deny: */", `tests: [],`, `allow: ["Bash(a {b: c})"],`);
    const key = fc.constantFrom("deny", '"deny"', "'deny'", '"\\u0064eny"', "den\\u0079");
    await fc.assert(
      fc.asyncProperty(key, others, key, others, async (first, between, second, before) => {
        const text = `{permissions: {${before}${first}: ["Bash(ls *)"], ${before === between ? "" : between} ${second}: []}}`;
        expect([text, await decided(text)]).toEqual([text, expect.stringMatching(/deny" is there twice/)]);
      }),
      { numRuns: 60 },
    );
  });
});

describe("a settings file that asks for what there is not", () => {
  it("V09 keys without an effect yet are said with their line and cure; those with one are not", async () => {
    const idle = ["flow", "toolAgentSettings", "discovery", "gates.flow"];
    const text = `{\n"flow": "enforce",\n"toolAgentSettings": {"maxToolCalls": 1},\n"discovery": {"command": "x"},\n"gates": {"flow": true, "toolSearch": "auto"}}`;
    writeFileSync(join(cwd, ".haft/settings.json"), text);
    await using haft = await createHaft({ cwd, home: base, stateDir: join(base, "state"), env: {}, trusted: true });
    const found = haft.notices.filter(({ message }) => message.includes("no effect"));
    expect(found.map(({ setting }) => setting?.join(".")).sort()).toEqual(idle.sort());
    expect(found.find(({ message }) => message === "flow has no effect yet.")).toEqual({
      code: "setting",
      severity: "warning",
      source: `${join(cwd, ".haft/settings.json")}:2`,
      message: "flow has no effect yet.",
      cure: expect.stringMatching(/^Remove it/),
      setting: ["flow"],
    });
    expect(haft.notices.filter(({ cure }) => !cure)).toEqual([]);
  });
});
