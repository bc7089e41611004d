import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { plugin } from "./plugin.ts";

let base: string;
let printed = "";
const put = (path: string, value: unknown): void => {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(join(base, path), typeof value === "string" ? value : JSON.stringify(value));
};
const LIST = ".claude-plugin/marketplace.json";
const market = (folder: string, plugins: readonly object[], name = "team") =>
  put(`${folder}/${LIST}`, { name, owner: { name: "Team" }, plugins });
const kit = (folder: string, name = "kit", text = "Tidy up.") => {
  put(`${folder}/.claude-plugin/plugin.json`, { name, version: "1.0.0" });
  put(`${folder}/skills/tidy/SKILL.md`, `---\nname: tidy\ndescription: Tidies.\n---\n${text}\n`);
};
const git = (folder: string, ...args: string[]) =>
  execFileSync("git", ["-C", join(base, folder), "-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
    encoding: "utf8",
  }).trim();
function commit(folder: string): string {
  git(folder, "init", "-q");
  git(folder, "add", ".");
  git(folder, "commit", "-qm", "One");
  return git(folder, "rev-parse", "HEAD");
}

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-market-cli-")));
  vi.stubEnv("HAFT_STATE_DIR", join(base, "state"));
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true, force: true });
});

async function run(...args: string[]): Promise<string> {
  printed = "";
  await plugin([...args, "--cwd", base]);
  return printed;
}
const addKit = () => run("add", "kit@team", "--yes", "--without-rehearsal");

describe("a marketplace", () => {
  it("R04 in a folder lists plugins that are added, updated and removed by name", async () => {
    market("m", [{ name: "kit", source: "./plugins/kit", description: "A kit.\u001b[31m" }]);
    kit("m/plugins/kit");
    expect(await run("marketplace", "list")).toContain("No marketplaces.");
    const added = await run("marketplace", "add", "./m");
    expect(added).toContain("kit@team  A kit.");
    expect(added).not.toContain("\u001b[31m");
    expect(await run("marketplace", "list")).toBe(`team (${join(base, "m")})\n`);
    expect(await addKit()).toContain("Installed: kit.");
    expect(await run("list")).toContain("kit 1.0.0 (marketplace:kit@team)");
    expect(await run("update")).toBe("kit is up to date.\n");
    kit("m/plugins/kit", "kit", "Tidy up well.");
    expect(await run("update")).toContain("It declares nothing new.");
    await run("marketplace", "remove", "team");
    await expect(run("update")).rejects.toThrow("the marketplace team, which is not added");
    await expect(run("marketplace", "remove", "team")).rejects.toThrow('There is no marketplace "team"');
  });

  it("R04 of Codex, in an archive, names a plugin by its path", async () => {
    put("c/.agents/plugins/marketplace.json", {
      name: "team",
      plugins: [{ name: "kit", source: { source: "local", path: "./plugins/kit" } }],
    });
    kit("c/plugins/kit");
    execFileSync("tar", ["-czf", join(base, "c.tgz"), "-C", base, "c"]);
    await run("marketplace", "add", "c.tgz");
    expect(await addKit()).toContain("Installed: kit.");
  });

  it("R04 in a git repository names another repository, a folder in it, and a commit", async () => {
    kit("repository/inner/kit");
    const sha = commit("repository");
    kit("repository/inner/kit", "kit", "A later text.");
    git("repository", "commit", "-qam", "Two");
    const url = `file://${join(base, "repository")}`;
    market("m", [{ name: "kit", source: { source: "git-subdir", url, path: "inner/kit", sha } }]);
    commit("m");
    await run("marketplace", "add", `file://${join(base, "m")}`);
    // A folder of the project that looks like the address does not take its place.
    market(`file:${base}/m`, [{ name: "kit", source: "./evil" }]);
    expect(await addKit()).toContain("skill tidy");
    const [folder = ""] = (await run("show", "kit")).split("\n");
    expect(execFileSync("cat", [join(folder, "skills/tidy/SKILL.md")], { encoding: "utf8" })).toContain("Tidy up.");
  });

  it.each<[string, unknown, RegExp]>([
    ["a path that leads out", "../outside", /points outside the marketplace's folder/],
    ["an absolute path", "/etc", /points outside the marketplace's folder/],
    ["a link that leads out", "./link", /points outside the marketplace's folder/],
    ["a folder in the place of an address", { source: "url", url: "../outside" }, /the address .* cannot be used/],
    ["a folder in the place of a package", { source: "npm", package: "../outside" }, /the package .* cannot be used/],
    ["an option in the place of a branch", { source: "github", repo: "a/b", ref: "--upload-pack=x" }, /the branch/],
    ["a command", { source: "command", command: "touch PWNED" }, /"command" is not supported/],
    ["another registry", { source: "npm", package: "kit", registry: "https://example.com" }, /its own registry/],
    ["a plugin that is named otherwise", "./other", /is named other/],
    ["no source", undefined, /has no source/],
  ])("R04 refuses %s", async (_, source, message) => {
    kit("outside");
    kit("m/other", "other");
    symlinkSync(join(base, "outside"), join(base, "m/link"));
    market("m", [{ name: "kit", source }]);
    await run("marketplace", "add", "./m");
    await expect(addKit()).rejects.toThrow(message);
    expect(await run("list")).toContain("No plugins.");
  });

  it.each([
    ["the name of an npm version", { name: "latest", plugins: [] }, /would be read as an npm version/],
    ["a hostile name", { name: "../x", plugins: [] }, /its name must begin/],
    ["one name twice", { name: "team", plugins: [{ name: "a" }, { name: "a" }] }, /lists a twice/],
    ["no list", { name: "team" }, /has no list of plugins/],
    ["no JSON", "{", /cannot be used/],
  ])("R04 with %s is refused", async (_, value, message) => {
    put(`m/${LIST}`, value);
    await expect(run("marketplace", "add", "./m")).rejects.toThrow(message);
    expect(await run("marketplace", "list")).toContain("No marketplaces.");
  });

  it("R04 cannot take the name of another, nor change its name later", async () => {
    market("m", []);
    market("n", [{ name: "kit", source: "./" }]);
    await run("marketplace", "add", "./m");
    await expect(run("marketplace", "add", "./n")).rejects.toThrow("There already is a marketplace team");
    await expect(addKit()).rejects.toThrow("has no plugin kit");
    market("m", [{ name: "kit", source: "./" }], "other");
    await expect(addKit()).rejects.toThrow("is now named other");
  });
});
