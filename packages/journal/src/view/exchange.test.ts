import { execFileSync, spawnSync } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createBench, stateOf } from "../../test/support/journal.ts";
import { viewWorks } from "../../test/support/view.ts";
import { applyChanges } from "../apply/apply.ts";
import { lookAt } from "../image/image.ts";
import { exchange } from "./marks.ts";
import { fromView } from "./supply.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const COUNT = 40;
const hasPerl = (() => {
  try {
    return execFileSync("perl", ["-e", "print 1"]).toString() === "1";
  } catch {
    return false;
  }
})();

/** Whether the file system has no place on disk yet for what a file holds. */
function isOnlyInMemory(path: string): boolean {
  return spawnSync("/usr/sbin/filefrag", ["-v", path], { encoding: "utf8" }).stdout?.includes("delalloc") === true;
}

/** Not every file system tells, and not every one waits. */
function canTell(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "haft-exchange-"));
  folders.push(folder);
  writeFileSync(join(folder, "probe"), "x".repeat(9000));
  return isOnlyInMemory(join(folder, "probe"));
}

/** A view's layer with other versions of the workspace's files. */
function prepared() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-exchange-")));
  folders.push(base);
  const [root, view] = [join(base, "work"), join(base, "view")];
  for (const folder of [root, join(view, "upper")]) mkdirSync(folder, { recursive: true });
  const names = Array.from({ length: COUNT }, (_, index) => `f${index}`);
  const changes = names.map((name) => {
    writeFileSync(join(root, name), `old ${name}`);
    writeFileSync(join(view, "upper", name), `new ${name}`, { mode: 0o600 });
    return { path: join(root, name), before: lookAt(join(root, name)), after: lookAt(join(view, "upper", name)) };
  });
  const texts = () => names.map((name) => readFileSync(join(root, name), "utf8"));
  return { root, view, names, changes, texts };
}

describe.skipIf(!hasPerl)("many files that take the place of others", () => {
  it("W01 are exchanged one by one, and a file that turns out to be another's is exchanged back", async () => {
    const { root, view, names, changes, texts } = prepared();
    const looked: string[] = [];
    const failed = await applyChanges(changes, {
      ...fromView(view, root, "t", changes),
      refuses(change, at) {
        if (!at.startsWith(view)) return undefined;
        looked.push(readFileSync(at, "utf8"));
        return change.path.endsWith("/f7") ? "It was changed." : undefined;
      },
    });
    expect(looked.sort()).toEqual(names.map((name) => `old ${name}`).sort());
    expect(failed).toEqual([{ path: join(root, "f7"), why: "It was changed." }]);
    expect(texts()).toEqual(names.map((name) => (name === "f7" ? "old f7" : `new ${name}`)));
    expect(readFileSync(join(view, "upper/f7"), "utf8")).toBe("new f7");
    expect(statSync(join(root, "f1")).mode & 0o777).toBe(0o600);
  });

  it.skipIf(!canTell())(
    "W07 are on disk soon after, so that a power cut leaves none that is neither old nor new",
    async () => {
      const { root, view, names, changes } = prepared();
      expect(names.filter((name) => isOnlyInMemory(join(view, "upper", name))).length).toBeGreaterThan(0);
      await applyChanges(changes, fromView(view, root, "t", changes));
      await expect
        .poll(() => names.filter((name) => isOnlyInMemory(join(root, name))), { timeout: 10_000 })
        .toEqual([]);
      const [few] = [changes.slice(0, 3)].map((some) => some.map((change) => ({ ...change, before: change.after })));
      const inView = (path: string) => join(view, "upper", path.slice(root.length));
      for (const { path } of few!) writeFileSync(inView(path), "once more");
      const again = few!.map((change) => ({ ...change, after: lookAt(inView(change.path)) }));
      await applyChanges(again, fromView(view, root, "u", again));
      expect(readFileSync(few![0]!.path, "utf8")).toBe("once more");
      await expect.poll(() => again.filter(({ path }) => isOnlyInMemory(path)), { timeout: 10_000 }).toEqual([]);
    },
  );

  it("W01 a file with a further name in the layer, or without anything at its place, is left to be copied", () => {
    const { root, view } = prepared();
    const pair = (name: string) => ({ from: join(view, "upper", name), to: join(root, name) });
    linkSync(pair("f1").from, join(view, "upper/other"));
    rmSync(pair("f2").to);
    expect([...exchange(["f1", "f2", "f3"].map(pair))]).toEqual([pair("f3").to]);
    expect(readFileSync(pair("f1").to, "utf8")).toBe("old f1");
    expect(readFileSync(pair("f2").from, "utf8")).toBe("new f2");
  });
});

describe.skipIf(!viewWorks("user"))("a command that changes many files", () => {
  it("W01 W02 is undone and done again to the byte, with files, folders and links that it put in each other's place", async () => {
    const bench = createBench();
    try {
      for (let index = 0; index < COUNT; index++) writeFileSync(join(bench.root, `f${index}`), `line ${index}\n`);
      mkdirSync(join(bench.root, "d"));
      writeFileSync(join(bench.root, "d/x"), "x");
      const before = stateOf(bench.root);
      await bench.shell(
        "for f in f*; do echo more >> $f; done; chmod 600 f3; rm f4; ln -s f5 f4; rm f6; mkdir f6; touch f6/new; rm -r d; echo d > d",
      );
      const after = stateOf(bench.root);
      expect(after).not.toBe(before);
      await bench.journal.undo();
      expect(stateOf(bench.root)).toBe(before);
      await bench.journal.redo();
      expect(stateOf(bench.root)).toBe(after);
    } finally {
      bench.close();
    }
  });
});
