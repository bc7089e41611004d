import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isWithin } from "@haft/core/tool";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { runPenned } from "../../test/support/changes.ts";
import { analyseShell } from "../index.ts";
import "../../../../test/support/seed.ts";

// The descriptions of programs against the programs themselves: each really runs in a scratch folder, and its changes there afterwards
// must have been said to be written.
let top: string;
let place: string;
beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "haft-writers-")));
  place = join(top, "p");
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

const SETUP = [
  "chmod -Rf u+rwX p; rm -rf p; mkdir -p p/sub p/empty; cd p; printf 'b\\na\\nb\\n' > a; cp a b; cp a sub/a; gzip -k b; tar cf t.tar sub b",
  "git init -q; git add a b sub; git -c user.name=n -c user.email=n@h commit -qm one; echo c >> a; echo c >> sub/a; touch -d @5 *",
  "printf '#!/bin/sh\\n' > x.sh; printf -- '--- a\\n+++ a\\n@@ -1 +1 @@\\n-b\\n+c\\n' > d.patch",
].join("; ");

/** Every name below the folder, with what is known of it. */
function facts(folder: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const walk = (path: string): void => {
    for (const name of readdirSync(path)) {
      const file = join(path, name);
      // Git's internal files do not count.
      if (file === join(place, ".git")) continue;
      const { mode, mtimeMs, nlink } = lstatSync(file);
      const isFolder = lstatSync(file).isDirectory();
      const content = isFolder ? "" : lstatSync(file).isSymbolicLink() ? readlinkSync(file) : contentOf(file);
      found.set(file, `${mode} ${isFolder ? "" : `${mtimeMs} ${nlink}`} ${content}`);
      if (isFolder) walk(file);
    }
  };
  walk(folder);
  return found;
}

const contentOf = (file: string): string => (lstatSync(file).isFile() ? readFileSync(file, "utf8") : "");

function changedBy(command: string): readonly string[] {
  runPenned([SETUP], { top, cwd: top, env: {} });
  const before = facts(place);
  runPenned([command], { top, cwd: place, env: { TMPDIR: join(top, "tmp") } });
  const after = facts(place);
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path));
}

/** Paths that changed although no effect named them. */
function unsaid(command: string): readonly string[] {
  const { effects } = analyseShell(command, { cwd: place, home: top });
  const writes = effects.filter((effect) => effect.do === "write");
  return changedBy(command).filter(
    (path) => !writes.some((write) => write.path === path || (write.tree === true && isWithin(write.path, path))),
  );
}

const file = fc.constantFrom("a", "b", "sub/a", "new", "sub/new", "./sub/../a", "x.sh", "'n w'");
const folder = fc.constantFrom("sub", "empty", ".", "sub/");
const flags = (...all: readonly string[]) =>
  fc.subarray([...all], { maxLength: Math.min(2, all.length) }).map((some) => some.join(" "));
const command = (name: string, ...parts: readonly fc.Arbitrary<string>[]) =>
  fc.tuple(...parts).map((words) => [name, ...words.filter((word) => word !== "")].join(" "));

const COMMANDS = fc.oneof(
  command("truncate", flags("-c", "-s 3", "--size=0", "-r a"), file, file),
  command(
    "dd if=a",
    file.map((name) => `of=${name}`),
    flags("bs=1", "count=1", "conv=notrunc"),
  ),
  command("sort", flags("-u", "-r", "-k1,1"), file, fc.constantFrom("-o", "--output", "--outp"), file),
  command(
    "sort",
    file.map((name) => `-o${name}`),
    file,
  ),
  command("install", flags("-m 700", "-D", "-C"), file, fc.oneof(file, folder)),
  command("install -d", file, file),
  command("ln", flags("-s", "-f", "-n", "-v"), file, fc.oneof(file, folder)),
  command("cp", flags("-r", "-l", "-s", "--force"), file, fc.oneof(file, folder)),
  command("mv", flags("-n", "-v", "--strip-trailing-slashes"), file, fc.oneof(file, folder)),
  command("mv -t", folder, flags("-f"), file, file),
  command("rm", flags("-f", "-v", "--one-file-system", "--preserve-root"), file),
  command("rm -rf --preserve-root", fc.oneof(file, folder)),
  command("chmod", fc.constantFrom("+x", "-x", "600", "u=rwx,g-w", "--reference=x.sh"), file, file),
  command("chmod -R", fc.constantFrom("go-w", "-x", "700"), fc.oneof(file, folder)),
  command("touch", flags("-h", "-c", "-r a", "-d @9"), file, file),
  command("gzip", flags("-k", "-f", "-9", "-c"), fc.oneof(file, fc.constant("b.gz"))),
  command("gunzip", flags("-k", "-f", "-c"), fc.constantFrom("b.gz", "b", "a")),
  command("bzip2", flags("-k", "-f"), file),
  command("xz", flags("-k", "-f", "-T1"), file),
  command(
    "tar xf t.tar",
    flags("-v", "-k"),
    folder.map((name) => `-C ${name}`),
  ),
  command("tar", fc.constantFrom("cf", "-cf", "rf", "--create -f"), file, fc.constantFrom("sub", "b")),
  command("uniq", flags("-c", "-d"), file, file),
  command("tee", flags("-a", "-i", "--output-error=warn"), file, file),
  command("mkfifo", flags("-m 600"), file),
  command(
    "sed",
    flags("-n", "-E"),
    file.map((name) => `-e 'w ${name.replaceAll("'", "")}'`),
    fc.constant("a"),
  ),
  command("sed -i -e '1w new'", flags("-n", "-s"), file),
  command("perl", fc.constantFrom("-i -pe s/a/b/", "-pi -e s/a/b/", "-ni -e 1"), file),
  command(
    "patch",
    flags("-s", "-f"),
    fc.constantFrom("a d.patch", "-i d.patch", "-o new -i d.patch", "-d sub -i ../d.patch"),
  ),
  command(
    "find",
    folder,
    fc.constantFrom("-name a -delete", "-type f -delete", "-fprint new", "-exec rm -f {} +", "-exec chmod 600 {} \\;"),
  ),
  command("shred", flags("-u", "-z", "-n1"), file),
  command("unlink", file),
  command("link", file, file),
  command("mktemp -p sub", flags("-d", "-u")),
  command("git restore", flags("--source=HEAD", "--worktree", "-q"), fc.oneof(file, folder, fc.constant("'sub/*'"))),
  command("git checkout", fc.constantFrom("", "--", "HEAD --", "HEAD"), fc.oneof(file, folder)),
  command("git rm -f", flags("-r", "--cached"), fc.constantFrom("a", "b", "sub", ".")),
  command("git mv", flags("-f", "-k"), file, fc.oneof(file, folder)),
  command("git clean -f", flags("-d", "-x", "-q"), fc.oneof(folder, fc.constant(""))),
  command(
    "git",
    fc.constantFrom("stash", "stash -u", "reset --hard", "apply d.patch", "-C sub checkout .", "checkout :/sub/a"),
  ),
  command("git archive -o", file, fc.constantFrom("HEAD", "--format=tar HEAD")),
  command(
    "git diff",
    file.map((name) => `--output=${name}`),
  ),
  command("git init", flags("-q", "--bare"), file),
  command("git clone -q .", file),
  command("xxd", flags("-p"), file, file),
  command("sqlite3", file, fc.constant("'create table t(x)'")),
  command("openssl rand -out", file, fc.constant("8")),
  command("awk", fc.constantFrom(`'{print > "new"}'`, `'{print >> "sub/new"}'`), fc.constant("a")),
);

describe.skipIf(!existsSync("/usr/bin/bwrap"))("the changes of programs", () => {
  it("G03 G07 nothing changes but what was said to be written", { tags: ["smoke"], timeout: 120_000 }, () => {
    fc.assert(
      fc.property(COMMANDS, (one) => {
        expect([one, unsaid(one)]).toEqual([one, []]);
      }),
      { numRuns: runs(60) },
    );
  });
});
