import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
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

/** The decision about `ls -l` under a project's settings file with this content, or the complaint about the file. */
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
      /settings\.json:2: error: "permissions\.deny" appears twice \(also on line 1/,
    ],
    [`{permissions: {deny: ["Bash(ls *)"]}, "permissions": {}}`, /"permissions" appears twice/],
    [`{permissions: {deny: ["Bash(ls *)"], "d\\u0065ny": []}}`, /"permissions\.deny" appears twice/],
    [`{permissions: {deny: ["Bash(ls *)"], d\\u0065ny: []}}`, /"permissions\.deny" appears twice/],
    [`{permissions: {'deny': ["Bash(ls *)"], /* , */ deny /* : */ : []}}`, /"permissions\.deny" appears twice/],
    [Buffer.concat([Buffer.from(DENY.slice(0, 30)), Buffer.from([0xff]), Buffer.from(DENY.slice(30))]), /not UTF-8/],
    [Buffer.from(`\ufeff${DENY}`, "utf16le"), /not UTF-8/],
    [`{"permissions": {"deny": ["Bash(ls *), Bash(rm *)"]}}`, /Several rules in one string/],
    [`{"permissions": {"deny": ["Bash(ls\\u0000 *)"]}}`, /control character/],
    [`${"[".repeat(100_000)}${"]".repeat(100_000)}`, /more than 32 levels/],
    [`{"model": ${"{x:".repeat(50_000)}1${"}".repeat(50_000)}}`, /more than 32 levels/],
    [`{"permissions": {"deny": ["Read(${"x".repeat(4_000_000)})"]}}`, /bytes; 4000000 are read at most/],
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

  it("V09 a key that is written twice is found at any place", async () => {
    const others = fc.constantFrom("", "ask: [],", "/* deny: */", `tests: [],`, `allow: ["Bash(a {b: c})"],`);
    const key = fc.constantFrom("deny", '"deny"', "'deny'", '"\\u0064eny"', "den\\u0079");
    await fc.assert(
      fc.asyncProperty(key, others, key, others, async (first, between, second, before) => {
        const text = `{permissions: {${before}${first}: ["Bash(ls *)"], ${before === between ? "" : between} ${second}: []}}`;
        expect([text, await decided(text)]).toEqual([text, expect.stringMatching(/deny" appears twice/)]);
      }),
      { numRuns: 60 },
    );
  });
});

describe("a settings file that asks for what there is not", () => {
  it("V09 keys without an effect yet are said with their line and cure; those with one are not", async () => {
    const idle = ["flow", "gates.flow"];
    const text = `{\n"flow": "enforce",\n"toolAgentSettings": {"maxToolCalls": 1},\n"gates": {"flow": true, "toolSearch": "auto"}}`;
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

describe("a local settings file, in a folder that nobody has trusted", () => {
  const git = (...args: string[]) => spawnSync("git", ["-C", cwd, ...args], { encoding: "utf8" });
  const explained = async (folder: string): Promise<string | undefined> => {
    await using haft = await createHaft({ cwd: folder, home: base, stateDir: join(base, "state"), env: {} });
    return (await haft.explain("Bash", { command: "make" })).decision?.decision;
  };
  const ALLOW = `{"permissions": {"allow": ["Bash(make)"]}}`;

  it("V10 to ask git whose it is starts nothing that the repository names", async () => {
    const mark = join(base, "started");
    git("init", "-q");
    git("config", "core.fsmonitor", `touch ${mark}; true`);
    git("status");
    expect(existsSync(mark)).toBe(true);
    rmSync(mark);
    writeFileSync(join(cwd, ".haft/settings.local.json"), ALLOW);
    expect(await explained(cwd)).toBe("allow");
    expect(existsSync(mark)).toBe(false);
  });

  it("V10 one that a repository further up tracks is the project's", async () => {
    const below = join(cwd, "packages/a");
    mkdirSync(join(below, ".haft"), { recursive: true });
    writeFileSync(join(below, ".haft/settings.local.json"), ALLOW);
    git("init", "-q");
    expect(await explained(below)).toBe("allow");
    git("add", "packages");
    expect(await explained(below)).toBe("ask");
  });

  it("V10 no variable sends git to a repository that does not know the file", async () => {
    writeFileSync(join(cwd, ".haft/settings.local.json"), ALLOW);
    git("init", "-q");
    git("add", ".haft");
    spawnSync("git", ["init", "-q", join(base, "other")]);
    process.env.GIT_DIR = join(base, "other/.git");
    try {
      expect(await explained(cwd)).toBe("ask");
    } finally {
      delete process.env.GIT_DIR;
    }
  });

  it.each(["/dev/zero", "pipe"])(
    "V09 a settings file that is a link to %s is an error, and is not read",
    async (name) => {
      spawnSync("mkfifo", [join(cwd, "pipe")]);
      symlinkSync(name === "pipe" ? join(cwd, name) : name, join(cwd, ".haft/settings.json"));
      await expect(explained(cwd)).rejects.toThrow(/settings\.json: error: This is not a regular file/);
    },
  );

  it("V09 a settings file that is a link to nowhere is an error, and no absent file", async () => {
    symlinkSync(join(base, "nowhere.json"), join(cwd, ".haft/settings.json"));
    await expect(explained(cwd)).rejects.toThrow(/settings\.json: error: The link is broken/);
  });
});
