import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lookAt, NONE } from "../image/image.ts";
import type { Change } from "../store/record.ts";
import { addsOnlyNames } from "./git-config.ts";
import { inspect } from "./inspect.ts";
import { changesLifecycle } from "./lifecycle.ts";
import { digestOf } from "./manifest.ts";

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-manifest-")));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const upper = (path: string): string => `${base}/upper${path}`;
const at = () => ({ root: "/ws", additional: ["/data"], upper });

/** A change as it would lie in an upper layer. */
function made(path: string, content: string, before: Change["before"] = NONE): Change {
  mkdirSync(dirname(upper(path)), { recursive: true });
  writeFileSync(upper(path), content);
  return { path, before, after: lookAt(upper(path)) };
}

describe("the inspection of a change", () => {
  it("W06 a repository that governs nothing is harmless, one that runs something is not", () => {
    const config = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";
    expect(inspect(made("/ws/r/.git/config", config), at())).toEqual({ harmless: true });
    expect(inspect(made("/ws/r/.git/hooks/pre-commit.sample", "#!/bin/sh\n"), at())).toEqual({ harmless: true });
    expect(inspect(made("/ws/s/.git/config", `${config}[core]\n\thooksPath = ../x\n`), at())).toEqual({});
    expect(inspect(made("/ws/s/.git/hooks/pre-commit", "#!/bin/sh\n"), at())).toEqual({});
    expect(inspect(made("/ws/w/.git", "gitdir: /ws/r/.git/worktrees/w\n"), at())).toEqual({ harmless: true });
    expect(inspect(made("/ws/x/.git", "gitdir: /tmp/elsewhere\n"), at())).toEqual({});
  });

  it("W06 links that lead out, set-id programs and pipes are doubtful; links to added folders are not", () => {
    const link = (target: string): Change => ({ path: "/ws/l", before: NONE, after: { type: "link", target } });
    expect(inspect(link("../etc/passwd"), at()).doubt).toContain("outside the workspace");
    expect(inspect(link("/ws2/x"), at()).doubt).toContain("outside the workspace");
    for (const target of ["a", "/ws/a", "/data/a"]) expect(inspect(link(target), at())).toEqual({});
    const file = made("/ws/p", "x");
    const setId = { ...file, after: { ...(file.after as object), mode: 0o4755 } } as Change;
    expect(inspect(setId, at()).doubt).toContain("owner's rights");
    expect(inspect({ path: "/ws/f", before: NONE, after: { type: "pipe", mode: 0o600 } }, at()).doubt).toContain(
      "pipe",
    );
  });

  it("W06 a folder that comes as a whole is looked through by names", () => {
    made("/ws/big/a/b.txt", "x");
    const tree: Change = { path: "/ws/big", before: NONE, after: { type: "tree", print: "p", entries: 3 } };
    expect(inspect(tree, at())).toEqual({});
    made("/ws/big/a/.envrc", "x");
    expect(inspect(tree, at()).doubt).toContain("/ws/big/a/.envrc");
    symlinkSync("/", upper("/ws/big/loop"));
    expect(inspect(tree, at()).doubt).toContain("/ws/big/a/.envrc");
  });

  it("W06 a digest tells contents, modes and names apart, and nothing else", () => {
    const one = made("/ws/a", "x");
    const two = made("/ws/b", "y");
    expect(digestOf([one, two])).toBe(digestOf([two, one]));
    expect(digestOf([{ ...one, before: two.after }])).toBe(digestOf([one]));
    expect(digestOf([made("/ws/a", "z")])).not.toBe(digestOf([one]));
    expect(digestOf([{ ...one, path: "/ws/c" }])).not.toBe(digestOf([one]));
  });
});

describe("keys of a git configuration", () => {
  const config = '[user]\n\tname = a\n[branch "main"]\n\tremote = origin\n';

  it("W06 naming a person or a branch's upstream is free, everything else is not", () => {
    expect(addsOnlyNames(config, `${config}[branch "b"]\n\tremote = origin\n\tmerge = refs/heads/b\n`)).toBe(true);
    expect(addsOnlyNames(config, config.replace("name = a", "name = b"))).toBe(true);
    for (const more of [
      "[core]\n\tpager = x\n",
      "[alias]\n\tst = !x\n",
      "[include]\n\tpath = y\n",
      '[remote "o"]\n\turl = z\n',
    ])
      expect(addsOnlyNames(config, config + more), more).toBe(false);
    for (const odd of ["[user]\n\tname = a \\\n", "name = x\n", "[user\n", '[branch "x"] remote = y\n'])
      expect(addsOnlyNames("", odd), odd).toBe(false);
  });

  it("W06 a key that went is a change too", () => {
    expect(addsOnlyNames("[core]\n\thooksPath = /dev/null\n", "")).toBe(false);
    expect(addsOnlyNames(config, "")).toBe(true);
  });

  it("W06 a configuration with a key that runs something differs from every one without", () => {
    const line = fc.constantFrom("[user]", "\tname = x", '[branch "b"]', "\tmerge = m", "# note", "");
    fc.assert(
      fc.property(fc.array(line), fc.array(line), (some, others) => {
        const text = ["[user]", ...some].join("\n");
        const evil = ["[user]", ...others, "[core]", "\tsshCommand = evil"].join("\n");
        expect(addsOnlyNames(text, evil)).toBe(false);
        expect(addsOnlyNames(text, text)).toBe(true);
      }),
    );
  });
});

describe("life-cycle scripts of a manifest", () => {
  const manifest = (part: object) => JSON.stringify({ name: "x", ...part });

  it("W06 dependencies and scripts of one's own are free, a script that an install or a publish runs is not", () => {
    const plain = manifest({ scripts: { test: "a" } });
    expect(
      changesLifecycle(plain, manifest({ scripts: { test: "b", build: "c", pretest: "d" }, dependencies: { y: "1" } })),
    ).toBe(false);
    for (const name of ["preinstall", "install", "postinstall", "prepare", "prepublishOnly", "prepack", "postpublish"])
      expect(changesLifecycle(plain, manifest({ scripts: { test: "a", [name]: "x" } })), name).toBe(true);
    expect(changesLifecycle(plain, manifest({ scripts: { test: "a" }, packageManager: "evil@1" }))).toBe(true);
    expect(changesLifecycle(plain, "{ not json")).toBe(true);
    expect(changesLifecycle(undefined, plain)).toBe(true);
    expect(changesLifecycle("", plain)).toBe(false);
  });
});
