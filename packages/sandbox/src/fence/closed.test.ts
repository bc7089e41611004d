import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Bound, effects } from "@haft/core/tool";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { closedIn, createTreeReader, guardsOf, surveysFor } from "./index.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "haft-closed-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));
const put = (...names: readonly string[]) => {
  for (const name of names) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), "");
  }
};
const closing = (pattern: RegExp, ...reads: readonly string[]): Bound => ({
  effects: reads.map((name) => effects.read(join(root, name))),
  holes: [{ do: "read", matches: (path) => pattern.test(path) }],
});
const closed = async (bound: Bound, trees = createTreeReader()) => {
  const found = await closedIn(await trees.read(root, { whole: true }), guardsOf(bound));
  return found.map(({ path }) => path.slice(root.length + 1)).sort();
};

describe("a path that rules close in a tree", () => {
  it("F29 G17 is found in folders that are passed over otherwise, as soon as it is there", async () => {
    put("node_modules/x/a.pem", "a.pem", "a.ts", ".git/logs/b.pem");
    const trees = createTreeReader();
    const bound = closing(/\.pem$/);
    expect(await closed(bound, trees)).toEqual([".git/logs/b.pem", "a.pem", "node_modules/x/a.pem"]);
    put("node_modules/x/b.pem");
    expect(await closed(bound, trees)).toContain("node_modules/x/b.pem");
    rmSync(join(root, "a.pem"));
    expect(await closed(bound, trees)).not.toContain("a.pem");
    expect(await closed(closing(/\.ts$/), trees)).toEqual(["a.ts"]);
  });

  it("F29 G17 is a whole folder where nothing of it is left, but for one in which the grant names something", async () => {
    put("vault/a/b.txt", "vault/c.txt", "d.txt");
    expect(await closed(closing(/\/vault\//))).toEqual(["vault"]);
    // The policy takes what is named out of the hole.
    expect(await closed(closing(/\/vault\/(?!c\.txt)/, "vault/c.txt"))).toEqual(["vault/a"]);
  });

  it("F29 G17 counts by the names of links, and their targets are closed", async () => {
    put("plain/a.txt", "real/key.txt");
    mkdirSync(join(root, "conf"));
    symlinkSync("../plain/a.txt", join(root, "conf/closed.ini"));
    symlinkSync("real", join(root, "linked"));
    expect(await closed(closing(/\/closed\.ini$|\/linked\/key/))).toEqual(["plain/a.txt", "real/key.txt"]);
    expect(await closed(closing(/\/linked\//))).toEqual(["real"]);
  });

  it("F29 G17 is every folder that nobody looked into", async () => {
    put("a/x.txt", "b/x.txt", "c/x.txt");
    expect(await closed(closing(/nothing/), createTreeReader(2, 3))).toHaveLength(1);
  });

  it("F29 is found in the workspace and nowhere else", () => {
    const workspace = { root: "/work/app", additional: ["/work/lib", "/tmp"] };
    const folders = ["/work/app", "/work/app/src", "/work/lib/x", "/work", "/work/application", "/", "/tmp/x"];
    expect(folders.filter((folder) => surveysFor(folder, workspace))).toEqual(folders.slice(0, 3));
  });
});
