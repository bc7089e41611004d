import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createHost } from "@haft/host/process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { analyseInPlace } from "../index.ts";
import { toplevelsOf } from "./toplevel.ts";

let top: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "haft-toplevel-")));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const { files } = createHost({ cwd: "/" }).ports;
const at = (...parts: string[]): string => join(top, ...parts);
const folder = (...parts: string[]): string => {
  mkdirSync(at(...parts), { recursive: true });
  return at(...parts);
};
const bare = { PATH: process.env.PATH ?? "", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };
const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
    cwd,
    env: bare,
    stdio: "pipe",
  }).toString();
const printed = (cwd: string): string => {
  try {
    return git(cwd, "rev-parse", "--show-toplevel").replace(/\n$/, "");
  } catch {
    return "";
  }
};

/** Files that lie where a repository could begin. */
const KINDS = {
  repository: (path: string) => void git(path, "init", "-q"),
  bare: (path: string) => void git(path, "init", "-q", "--bare"),
  emptied: (path: string) => void mkdirSync(join(path, ".git")),
  headless: (path: string) => {
    for (const name of [".git/objects", ".git/refs"]) mkdirSync(join(path, name), { recursive: true });
    writeFileSync(join(path, ".git/HEAD"), "nonsense\n");
  },
  junk: (path: string) => writeFileSync(join(path, ".git"), "nonsense\n"),
  leading: (path: string) => {
    const elsewhere = join(dirname(path), `elsewhere-${path.length}`);
    git(dirname(path), "init", "-q", "--bare", elsewhere);
    writeFileSync(join(path, ".git"), `gitdir: ${elsewhere}\n`);
  },
  linked: (path: string) => {
    const elsewhere = join(dirname(path), `linked-${path.length}`);
    git(dirname(path), "init", "-q", elsewhere);
    symlinkSync(join(elsewhere, ".git"), join(path, ".git"));
  },
  dangling: (path: string) => symlinkSync("nowhere", join(path, ".git")),
  nothing: () => undefined,
} as const;
const names = Object.keys(KINDS) as readonly (keyof typeof KINDS)[];

describe("the top of a repository, as git names it", () => {
  it("G02 git names one of these folders or nothing, for any repositories on the way up", async () => {
    const found = new Set<string>();
    for (const outer of names)
      for (const inner of names) {
        const place = folder(`${outer}-${inner}`, "in", "deep");
        KINDS[outer](at(`${outer}-${inner}`));
        KINDS[inner](at(`${outer}-${inner}`, "in"));
        const said = printed(place);
        const known = await toplevelsOf(place, files);
        if (said !== "") {
          found.add(said === at(`${outer}-${inner}`) ? "outer" : "inner");
          expect([outer, inner, known]).toEqual([outer, inner, expect.arrayContaining([said])]);
        }
        expect(known!.every((one) => one === place || place.startsWith(`${one}/`))).toBe(true);
      }
    expect([...found].sort()).toEqual(["inner", "outer"]);
  });

  const effectsOf = async (command: string, cwd: string) => {
    const { effects } = await analyseInPlace(command, { cwd, home: "/home/u" }, files);
    return effects.flatMap((one) =>
      one.do === "read" ? [one.path] : one.do === "unknown" || (one.do === "run" && one.opaque) ? ["?"] : [],
    );
  };

  it("G01 a script that goes there is followed: there, and to where it is when git says nothing", async () => {
    git(folder("p"), "init", "-q");
    const sub = folder("p", "src", "deep");
    for (const command of [
      'cd "$(git rev-parse --show-toplevel)" && cat a',
      'TOP=$(git rev-parse --show-toplevel 2>/dev/null); cd "$TOP"; cat a',
    ])
      expect([command, await effectsOf(command, sub)]).toEqual([
        command,
        expect.arrayContaining([at("p/a"), join(sub, "a")]),
      ]);
    expect(await effectsOf('cd .. && cd "$(git rev-parse --show-toplevel)" && cat a', sub)).toContain(at("p/a"));
  });

  it("G07 from a folder that is a link, the repository is looked for where it leads", { tags: ["smoke"] }, async () => {
    git(folder("p"), "init", "-q");
    git(folder("other"), "init", "-q");
    symlinkSync(folder("other", "x"), at("p", "link"));
    const read = await effectsOf('cd link && cd "$(git rev-parse --show-toplevel)" && cat a', at("p"));
    expect(read).toContain(at("other/a"));
  });

  it.each([
    "cd $(git rev-parse --show-toplevel) && cat a",
    'cd "$(git rev-parse --show-toplevel --show-prefix)" && cat a',
    'cd "$(GIT_WORK_TREE=/etc git rev-parse --show-toplevel)" && cat a',
    'export GIT_DIR=/x; cd "$(git rev-parse --show-toplevel)" && cat a',
    'git init ..; cd "$(git rev-parse --show-toplevel)" && cat a',
    'cd "$(git rev-parse --show-toplevel)" && cat a; make',
    'mv ../other/.git ..; cd "$(git rev-parse --show-toplevel)" && cat a',
    'cd "$(git -C / rev-parse --show-toplevel)" && cat a',
    'cd "$X"; cd "$(git rev-parse --show-toplevel)" && cat a',
    'git() { echo /etc; }; cd "$(git rev-parse --show-toplevel)" && cat a',
  ])("G07 %s stays unproved", async (command) => {
    git(folder("p"), "init", "-q");
    expect(await effectsOf(command, at("p"))).toContain("?");
  });
});
