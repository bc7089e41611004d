import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { type Bound, type Effect, effects, isWithin } from "@haft/core/tool";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FenceRequest, isPathContained, MAX_MOUNTS, planFence } from "./index.ts";

let base: string;
let root: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(`${tmpdir()}/haft-fence-`));
  root = `${base}/proj`;
  await mkdir(root);
  await mkdir(`${base}/home`);
});
afterEach(() => rm(base, { recursive: true, force: true }));

const unread: Bound = { effects: [{ do: "unknown", basis: "enforced", why: "a test" }], holes: [] };
const proved = (...list: readonly Effect[]): Bound => ({ effects: list, holes: [] });
const workspace = () => ({ root, additional: [], home: `${base}/home`, platform: "linux" });
const plan = (bound: Bound, rest: Partial<FenceRequest> = {}) => planFence({ bound, workspace: workspace(), ...rest });
async function put(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await mkdir(dirname(`${base}/${name}`), { recursive: true });
    await writeFile(`${base}/${name}`, "");
  }
}
const below = (paths: readonly string[]) =>
  paths.filter((path) => isWithin(base, path)).map((path) => path.slice(root.length));

describe("the paths that a fence lets a program write", () => {
  it("G12 an unread command gets the workspace and added folders by their real paths, and no neighbour", async () => {
    await mkdir(`${base}/proj-evil`);
    await mkdir(`${base}/added`);
    await symlink(`${base}/added`, `${base}/link`);
    const workspace = {
      root: `${root}/../proj`,
      additional: [`${base}/link`],
      home: `${base}/home`,
      platform: "linux",
    };
    expect((await plan(unread, { workspace })).writable).toEqual([root, `${base}/added`]);
  });

  it("G12 a path is contained by where it really is", async () => {
    await put("proj/in/x", "proj-evil/x", "out/x");
    await symlink(`${base}/out`, `${root}/way`);
    await symlink(`${base}/nowhere`, `${root}/dangling`);
    await symlink(root, `${base}/same`);
    const contained = async (path: string) => isPathContained(`${base}/same`, path);
    const [inside, outside] = [
      ["", "/in/x", "/new/er", "/in/../in/x"],
      ["/../proj-evil/x", "-evil/x", "/..", "/way/x", "/way/new/er", "/dangling"],
    ];
    for (const path of inside) expect(await contained(`${root}${path}`), path).toBe(true);
    for (const path of outside) expect(await contained(`${root}${path}`), path).toBe(false);
    await expect(contained("relative")).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("G12 a grant that leads out of the workspace by a link or by .. opens nothing there", async () => {
    await put("out/x.txt");
    await symlink(`${base}/out`, `${root}/way`);
    const tries = [`${root}/way/x.txt`, `${root}/way/new.txt`, `${root}/../out/x.txt`, `${root}/way`];
    for (const path of tries) expect((await plan(proved(effects.write(path)))).writable, path).toEqual([]);
  });

  it("G12 a missing file below a linked folder belongs where the link leads", async () => {
    await mkdir(`${base}/out`);
    await symlink(`${base}/out`, `${root}/way`);
    const { writable } = await plan(proved(effects.write(`${root}/way/deep/new.txt`, "create", { tree: true })));
    expect(writable).toEqual([]);
  });

  it("G12 writes that are all known open their folders and nothing else of the workspace", async () => {
    await put("proj/a/x.txt", "proj/b/y.txt", "proj/c/z/deep.txt");
    const bound = proved(effects.write(`${root}/a/x.txt`), effects.write(`${root}/c/z`, "modify", { tree: true }));
    expect(below((await plan(bound)).writable)).toEqual(["/a", "/c/z"]);
    const missing = proved(effects.write(`${root}/b/new/er/file.txt`, "create"));
    expect(below((await plan(missing)).writable)).toEqual(["/b"]);
  });

  it("G12 outside of the workspace a grant opens an existing file and not its folder", async () => {
    await put("out/x.txt");
    const { writable } = await plan(proved(effects.write(`${base}/out/x.txt`)));
    expect(writable).toEqual([`${base}/out/x.txt`]);
    for (const path of ["/etc/hosts.new", "/dev/sda", "/proc/sys/kernel/core_pattern", `${base}/home/new`])
      expect((await plan(proved(effects.write(path)))).writable, path).toEqual([]);
  });

  it("G12 for any grant, nothing outside is writable but the named path", async () => {
    await put("proj/a/b.txt", "out/x.txt", "proj-evil/y.txt");
    const part = fc.constantFrom("a", "b.txt", "..", ".", "way", "out", "proj", "proj-evil", "x.txt", "y.txt");
    await symlink(`${base}/out`, `${root}/way`);
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 5 }), fc.boolean(), async (parts, tree) => {
        const path = `${root}/${parts.join("/")}`;
        const { writable } = await plan(proved(effects.write(path, "modify", { tree })));
        const named = await realpath(path).catch(() => path);
        for (const place of writable) expect(isWithin(root, place) || place === named, place).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it("G12 reading alone opens nothing, and neither does a folder of the system", async () => {
    expect((await plan(unread, { use: "read" })).writable).toEqual([]);
    for (const system of ["/", "/etc", "/usr", "/tmp", "/proc/self"])
      await expect(plan(unread, { workspace: { ...workspace(), root: system } })).rejects.toMatchObject({
        code: "sandbox_unavailable",
      });
  });
});

describe("the paths that a fence protects in the workspace", () => {
  it("G17 protected files are read-only at any place, and the way to them is fixed", async () => {
    await put("proj/.git/HEAD", "proj/.git/config", "proj/.git/hooks/x", "proj/.npmrc", "proj/a/b/.vscode/tasks.json");
    await put("proj/.git/modules/sub/config", "proj/a/b/c.txt");
    const fence = await plan(unread);
    expect(below(fence.readOnly).sort()).toEqual([
      "/.git/config",
      "/.git/hooks",
      "/.git/modules/sub/config",
      "/.npmrc",
      "/a/b/.vscode",
    ]);
    expect(below(fence.anchored).sort()).toEqual(["/.git", "/.git/modules", "/.git/modules/sub", "/a", "/a/b"]);
  });

  it("G17 a repository without hooks gets an empty folder for them that stays empty", async () => {
    await put("proj/.git/HEAD", "proj/.git/config");
    expect(below((await plan(unread)).sealed)).toEqual(["/.git/hooks"]);
  });

  it("G17 a file that a repository's configuration names is protected: hooks elsewhere, included files", async () => {
    await put("proj/.git/HEAD", "proj/tools/hooks/pre-push", "proj/.git/extra", "proj/team.gitconfig");
    const lines = [
      "[core]",
      "\thooksPath = tools/hooks",
      "[include]",
      "\tpath = ../team.gitconfig",
      '\tpath = "extra"',
    ];
    await writeFile(`${root}/.git/config`, lines.join("\n"));
    const { readOnly } = await plan(unread);
    expect(below(readOnly)).toEqual(["/.git/config", "/tools/hooks", "/team.gitconfig", "/.git/extra"]);
    const granted = await plan({ ...unread, effects: [...unread.effects, effects.write(`${root}/team.gitconfig`)] });
    expect(below(granted.readOnly)).not.toContain("/team.gitconfig");
  });

  it("G17 worktrees in a protected folder are ordinary work", async () => {
    await put("proj/.claude/settings.json", "proj/.claude/worktrees/w/a.txt", "proj/.claude/worktrees/w/.envrc");
    const fence = await plan(unread);
    expect(below(fence.readOnly)).toEqual(["/.claude", "/.claude/worktrees/w/.envrc"]);
    expect(below(fence.writable)).toEqual(["", "/.claude/worktrees"]);
  });

  it("G17 a grant for a protected file by name opens it, one for the whole tree does not", async () => {
    await put("proj/.envrc");
    const tree = effects.write(root, "modify", { tree: true });
    expect(below((await plan(proved(tree))).readOnly)).toEqual(["/.envrc"]);
    expect(below((await plan(proved(tree, effects.write(`${root}/.envrc`)))).readOnly)).toEqual([]);
  });

  it("G17 the target of a protected link is protected", async () => {
    await put("proj/shared/npmrc");
    await symlink("shared/npmrc", `${root}/.npmrc`);
    expect(below((await plan(unread)).readOnly)).toEqual(["/shared/npmrc"]);
  });

  it("G17 holes of the grant are closed: unreadable or read-only", async () => {
    await put("proj/secret/a", "proj/b.pem", "proj/keep/c", "home/notes/n");
    const hole = (access: "read" | "write", pattern: RegExp) => ({
      do: access,
      matches: (path: string) => pattern.test(path),
    });
    const holes = [hole("read", /\/secret\/|\.pem$|home\/notes/), hole("write", /\/keep(\/|$)/)];
    const fence = await plan({ ...unread, holes });
    const hidden = fence.hidden.filter(({ path }) => isWithin(base, path));
    expect(hidden).toEqual(
      expect.arrayContaining([
        { path: `${root}/secret`, isFolder: true },
        { path: `${root}/b.pem`, isFolder: false },
        { path: `${base}/home/notes`, isFolder: true },
      ]),
    );
    expect(below(fence.readOnly)).toEqual(["/keep"]);
  });

  it("G17 more holes than can be mounted are refused, not forgotten", async () => {
    await Promise.all(Array.from({ length: MAX_MOUNTS + 1 }, (_, index) => writeFile(`${root}/${index}.key`, "")));
    const holes = [{ do: "read" as const, matches: (path: string) => path.endsWith(".key") }];
    await expect(plan({ ...unread, holes })).rejects.toMatchObject({ code: "sandbox_unavailable" });
  });

  it("G17 private files are hidden unless the grant names them", async () => {
    await put("proj/.env", "proj/.env.example", "proj/x/.env.local", "home/.ssh/id", "home/.netrc", "state/s.jsonl");
    const hidden = async (bound: Bound) =>
      (await plan(bound, { state: `${base}/state`, workspace: { ...workspace(), readable: [base] } })).hidden
        .filter(({ path }) => isWithin(base, path))
        .map(({ path }) => path.slice(base.length))
        .sort();
    const all = ["/home/.netrc", "/home/.ssh", "/proj/.env", "/proj/x/.env.local", "/state"];
    expect(await hidden(unread)).toEqual(all);
    expect(await hidden(proved(effects.read(`${root}/.env`), effects.read(`${base}/home/.netrc`)))).toEqual(
      all.filter((path) => path !== "/proj/.env" && path !== "/home/.netrc"),
    );
  });

  it("G17 a home that is the workspace keeps its secrets", async () => {
    await put("proj/.ssh/id", "proj/.bashrc");
    const fence = await plan(unread, { workspace: { ...workspace(), home: root } });
    expect(fence.hidden).toContainEqual({ path: `${root}/.ssh`, isFolder: true });
    expect(below(fence.readOnly)).toEqual(["/.bashrc"]);
  });

  it("G17 the next plan sees a change since the last one", async () => {
    const { createTreeReader } = await import("./index.ts");
    const trees = createTreeReader();
    for (const name of ["proj/.envrc", "proj/a/.npmrc", "proj/a/b/.vscode/x"]) {
      await put(name);
      const last = `${base}/${name}`.replace(/\/x$/, "");
      expect((await plan(unread, { trees })).readOnly).toContain(last);
    }
    await rm(`${root}/a`, { recursive: true });
    expect(below((await plan(unread, { trees })).readOnly)).toEqual(["/.envrc"]);
  });
});
