import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { riskyGitConfig } from "@haft/shell";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gitConfig } from "./git-config.ts";
import { nestedRepositories } from "./git-index.ts";

let top: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "haft-git-odd-")));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const git = (folder: string, ...args: string[]): string => {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
  return execFileSync("git", ["-C", folder, ...identity, ...args], { encoding: "utf8", stdio: "pipe" });
};

const at = (...names: string[]) => join(top, ...names);
const put = (path: string, text: string) => {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
};

/** A repository that names a program. */
function hostile(name: string): void {
  mkdirSync(at(name), { recursive: true });
  git(at(name), "init", "-q", "-b", "main");
  git(at(name), "config", "diff.external", "PWNED");
  put(`${name}/a`, "a\n");
  git(at(name), "add", "a");
  git(at(name), "commit", "-qm", "one");
}

/** Folders that miss one part of a repository, inside a hostile repository. */
function hollow(head: () => void, objects: () => void = () => mkdirSync(at("r/s/.git/objects"))): string {
  hostile("r");
  mkdirSync(at("r/s/.git/refs"), { recursive: true });
  objects();
  head();
  return "r/s";
}

const LAYOUTS: Readonly<Record<string, () => string>> = {
  "a link file with two blanks": () => {
    hostile("r");
    renameSync(at("r/.git"), at("r/ g"));
    put("r/.git", "gitdir:  g\n");
    return "r";
  },
  "a link file with two lines": () => {
    hostile("r");
    renameSync(at("r/.git"), at("r/g\nx"));
    put("r/.git", "gitdir: g\nx\n");
    return "r";
  },
  "a link file that leads up behind a link": () => {
    hostile("r");
    mkdirSync(at("deep/er"), { recursive: true });
    renameSync(at("r/.git"), at("deep/g"));
    symlinkSync("../deep/er", at("r/l"));
    put("r/.git", "gitdir: l/../g\n");
    return "r";
  },
  "objects that are no folder": () =>
    hollow(
      () => put("r/s/.git/HEAD", "ref: refs/heads/main\n"),
      () => put("r/s/.git/objects", ""),
    ),
  "a HEAD that is a link to a file": () =>
    hollow(() => {
      put("r/s/h", "ref: refs/heads/main\n");
      symlinkSync("../h", at("r/s/.git/HEAD"));
    }),
  "a HEAD with more blanks than git reads": () =>
    hollow(() => put("r/s/.git/HEAD", `ref:${" ".repeat(300)}refs/heads/main\n`)),
  "a HEAD with a blank that is none to git": () => hollow(() => put("r/s/.git/HEAD", "ref:\u00a0refs/heads/main\n")),
  "a common folder counted from behind a link": () => {
    hostile("r");
    renameSync(at("r/.git"), at("c"));
    put("store/w/commondir", "../c\n");
    put("store/w/HEAD", "ref: refs/heads/main\n");
    renameSync(at("c"), at("store/c"));
    symlinkSync("../store/w", at("r/.git"));
    return "r";
  },
  "a common folder with a blank behind it": () => {
    hostile("r");
    renameSync(at("r/.git"), at("r/c "));
    put("r/.git/commondir", "../c \n");
    put("r/.git/HEAD", "ref: refs/heads/main\n");
    return "r";
  },
  "a folder that has of a repository only where the rest lies": () => {
    hostile("r");
    put("w/commondir", "../r/.git\n");
    put("w/HEAD", "ref: refs/heads/main\n");
    return "w";
  },
  "a HEAD that is a link to nothing": () => {
    hostile("r");
    renameSync(at("r/.git"), at("bare"));
    git(at("bare"), "pack-refs", "--all");
    rmSync(at("bare/HEAD"));
    symlinkSync("refs/heads/main", at("bare/HEAD"));
    return "bare";
  },
  "a folder reached by a link": () => {
    hostile("other/r");
    mkdirSync(at("other/r/d"));
    mkdirSync(at("here"));
    symlinkSync("../other/r/d", at("here/l"));
    return "here/l";
  },
};

describe("the configuration that git uses where a repository is laid out oddly", () => {
  it.each(Object.entries(LAYOUTS))("G02 %s", async (_, lay) => {
    const folder = at(lay());
    expect(git(folder, "config", "--get", "diff.external")).toBe("PWNED\n");
    expect(riskyGitConfig((await gitConfig(folder)) ?? "")).toContain("diff.external");
  });

  it("G07 content from elsewhere is never taken for the repository's own, but that of a worktree is", async () => {
    const isTame = async (name: string) => riskyGitConfig((await gitConfig(at(name))) ?? "").length === 0;
    const plain = (name: string) => {
      hostile(name);
      git(at(name), "config", "--unset", "diff.external");
    };
    for (const name of ["private", "a", "b", "c", "d"]) plain(name);
    git(at("private"), "worktree", "add", "-q", at("tree"));
    expect([await isTame("private"), await isTame("tree"), await isTame("a")]).toEqual([true, true, true]);
    put("e/.git", `gitdir: ${at("private/.git")}\n`);
    expect(git(at("e"), "show", "HEAD:a")).toBe("a\n");
    put("a/.git/commondir", `${at("private/.git")}\n`);
    put("b/.git/objects/info/alternates", `${at("private/.git/objects")}\n`);
    put("secret", "SECRET\n");
    symlinkSync("../../secret", at("c/.git/BISECT_LOG"));
    expect(git(at("c"), "bisect", "log")).toContain("SECRET");
    for (const name of ["interactive", "onto", "git-rebase-todo"]) put(`d/.git/rebase-merge/${name}`, "main\n");
    symlinkSync("../../../secret", at("d/.git/rebase-merge/done"));
    expect(git(at("d"), "status")).toContain("SECRET");
    for (const name of ["a", "b", "c", "d", "e"]) expect([name, await isTame(name)]).toEqual([name, false]);
  });

  it("G01 a submodule that its repository names is tame, from within and from without, and one that another names is not", async () => {
    const isTame = async (name: string) => riskyGitConfig((await gitConfig(at(name))) ?? "").length === 0;
    for (const name of ["inner", "outer"]) {
      hostile(name);
      git(at(name), "config", "--unset", "diff.external");
    }
    git(at("outer"), "-c", "protocol.file.allow=always", "submodule", "add", "-q", at("inner"), "sub");
    expect([await isTame("outer"), await isTame("outer/sub")]).toEqual([true, true]);
    put("thief/.git", `gitdir: ${at("outer/.git/modules/sub")}\n`);
    expect(await isTame("thief")).toBe(false);
  });

  it("G02 a link file that is no text is never taken for harmless", async () => {
    hostile("r");
    git(at("r"), "config", "--unset", "diff.external");
    renameSync(at("r/.git"), at("r/g"));
    put("r/.git", "gitdir: g\n");
    expect(riskyGitConfig((await gitConfig(at("r"))) ?? "")).toEqual([]);
    writeFileSync(at("r/.git"), Buffer.from("gitdir: g\xff\n", "latin1"));
    expect(riskyGitConfig((await gitConfig(at("r"))) ?? "")).not.toEqual([]);
  });

  it("G02 the format of object names is believed only where git itself wrote it", async () => {
    mkdirSync(at("r"));
    git(at("r"), "init", "-q", "--object-format=sha256");
    put("r/a", "a\n");
    git(at("r"), "add", "a");
    const config = at("r/.git/config");
    const own = readFileSync(config, "utf8");
    expect(riskyGitConfig((await gitConfig(at("r"))) ?? "")).toEqual([]);
    for (const odd of ['= "sha256"', "= sha256 ; so", "= sha256\n\tobjectformat = sha256"]) {
      writeFileSync(config, own.replace("= sha256", odd));
      expect(git(at("r"), "ls-files")).toBe("a\n");
      expect(riskyGitConfig((await gitConfig(at("r"))) ?? "")).not.toEqual([]);
    }
  });

  it("G02 a name in an index is as long as git takes it", () => {
    hostile("r");
    const index = readFileSync(at("r/.git/index"));
    expect(nestedRepositories(index, "sha1")).toEqual([]);
    const length = 12 + 61;
    expect(index[length]).toBe(1);
    index[length] = 0;
    expect(nestedRepositories(index, "sha1")).toBeUndefined();
  });
});
