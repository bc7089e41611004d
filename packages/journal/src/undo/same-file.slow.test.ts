import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Attributes, readAttributes, writeAttributes } from "@haft/host/files";
import { describe, expect, it } from "vitest";
import { type Bench, benches, stateOf } from "../../test/support/journal.ts";
import { viewWorks } from "../../test/support/view.ts";
import { NONE } from "../image/image.ts";
import type { Variant } from "../view/mount.ts";
import { watchNames } from "./same-file.ts";

const fresh = benches();
const isRoot = process.geteuid?.() === 0;

/** The user 1000 may write, the group may not even read. The mode shows the mask: 660. */
const ACL = { "system.posix_acl_access": aclOf([1, 6], [2, 6, 1000], [4, 0], [16, 6], [32, 0]) };
const TAG = { "user.keep": Buffer.from("this").toString("hex") };

function aclOf(...entries: readonly (readonly [tag: number, rights: number, id?: number])[]): string {
  const bytes = Buffer.alloc(4 + 8 * entries.length);
  bytes.writeUInt32LE(2);
  for (const [index, [tag, rights, id = 0xffffffff]] of entries.entries()) {
    bytes.writeUInt16LE(tag, 4 + 8 * index);
    bytes.writeUInt16LE(rights, 6 + 8 * index);
    bytes.writeUInt32LE(id, 8 + 8 * index);
  }
  return bytes.toString("hex");
}

const attributes = ({ root }: Bench, name: string): Attributes => readAttributes([join(root, name)])?.get(0) ?? {};
const give = ({ root }: Bench, name: string, all: Attributes) =>
  writeAttributes([{ path: join(root, name), attributes: all }]);

/** Sets an attribute by the system call setxattr. */
const SET = `perl -e 'my ($f, $n, $v) = @ARGV; syscall(${process.arch === "x64" ? 188 : 5}, $f, $n, $v, 4, 0) == 0 or die $!'`;

const set = (name: string): string => `${SET} ${name} user.keep that`;

function prepared(variant: Variant): Bench {
  const bench = fresh({ variants: [variant] });
  const { root } = bench;
  mkdirSync(join(root, "d"));
  for (const name of ["a", "b", "c", "d/e"]) writeFileSync(join(root, name), `old ${name}\n`);
  linkSync(join(root, "a"), join(root, "d/a2"));
  give(bench, "b", { ...ACL, ...TAG });
  return bench;
}

const hasAttributes = (): boolean => {
  const bench = fresh();
  writeFileSync(join(bench.root, "f"), "");
  return give(bench, "f", { ...ACL, ...TAG }).size === 0 && spawnSync("perl", ["-v"]).status === 0;
};

/** Everything that a file has, and which names are the same file. */
function wholeState(bench: Bench): string {
  const names = ["a", "b", "c", "d", "d/a2", "d/e"].filter((name) => existsSync(join(bench.root, name)));
  const inodes = [...new Set(names.map((name) => lstatSync(join(bench.root, name)).ino))];
  const lines = names.map((name) => {
    const { uid, gid, ino } = lstatSync(join(bench.root, name));
    return `${name} ${uid} ${gid} ${inodes.indexOf(ino)} ${JSON.stringify(attributes(bench, name))}`;
  });
  return [stateOf(bench.root), ...lines].join("\n");
}

describe.each(["root", "user", "root-clone", "user-clone"] as const)(
  "the attributes of a file, in a view mounted as %s",
  (variant) => {
    const isHere = viewWorks(variant) && (variant.startsWith("user") || isRoot);
    it
      .skipIf(!isHere)
      .for([
        "echo more >> b",
        "sed -i s/old/new/ a b c",
        "rm a b; rm d/e",
        "mv d x; mv a y",
        "rm d/a2; echo new > d/a2",
        "chmod 600 b c",
        "ln -f c d/e; chmod 600 c",
        "chmod 600 a; rm d/a2; cp c d/a2",
        "cp a c; mv c d/a2; echo more >> a",
        `${set("a")}; chmod 600 d/a2`,
        "ln -f a b; rm a d/a2",
        ["b", "c", "d"].map(set).join("; "),
        "rm -r d; echo file > d",
        "cat b > t && cat t > c; rm t",
        "for i in $(seq 40); do echo $i > n$i; done; sed -i s/old/new/ b c d/e",
        "sed -i s/old/new/ a\ncp -a d/a2 a",
      ])("W01 undo and redo of %s keep ACLs, attributes, owners and hard links", async (command) => {
      if (!hasAttributes()) return;
      const bench = prepared(variant);
      const before = wholeState(bench);
      for (const [turn, one] of command.split("\n").entries()) {
        const { output } = await bench.shell(one, { id: `c${turn}` });
        expect(output).not.toMatch(/Not (?!carried over: other names)|error|denied/);
      }
      const after = wholeState(bench);
      expect(after).not.toBe(before);
      await bench.journal.undo({ all: true });
      expect(wholeState(bench)).toBe(before);
      await bench.journal.redo();
      expect(wholeState(bench)).toBe(after);
      await bench.journal.undo({ all: true });
      expect(wholeState(bench)).toBe(before);
    });

    it.skipIf(!isHere)(
      "W01 an appended line leaves a file its ACL, so its group gains no right",
      { tags: ["smoke"] },
      async () => {
        if (!hasAttributes()) return;
        const bench = prepared(variant);
        await bench.shell("echo more >> b");
        expect(readFileSync(join(bench.root, "b"), "utf8")).toBe("old b\nmore\n");
        expect(attributes(bench, "b")).toEqual({ ...ACL, ...TAG });
      },
    );

    it.skipIf(!isHere)("W01 a command that only sets an attribute changes the file outside the view", async () => {
      if (!hasAttributes()) return;
      const bench = prepared(variant);
      await bench.shell(set("c"));
      expect(attributes(bench, "c")).toEqual({ "user.keep": Buffer.from("that").toString("hex") });
      const [done] = (await bench.journal.undo()).changed;
      expect(done?.path).toBe(join(bench.root, "c"));
      expect(attributes(bench, "c")).toEqual({});
    });
  },
);

describe("names of one file", () => {
  it.skipIf(!viewWorks("user"))("W01 two changes under two names of a file are changes of that file", async () => {
    if (!hasAttributes()) return;
    const bench = prepared("user");
    const { output } = await bench.shell(`${set("a")}; chmod 600 d/a2`);
    expect(output).toBe("");
    expect(statSync(join(bench.root, "a"))).toMatchObject({ mode: 0o100600, nlink: 2 });
    expect(attributes(bench, "d/a2")).toEqual({ "user.keep": Buffer.from("that").toString("hex") });
  });

  it.skipIf(!viewWorks("user"))("W01 a name that got an equal file does not change with the old one", async () => {
    const bench = prepared("user");
    await bench.shell("cp a t; mv t d/a2; echo more >> a");
    expect(readFileSync(join(bench.root, "d/a2"), "utf8")).toBe("old a\n");
    expect(readFileSync(join(bench.root, "a"), "utf8")).toBe("old a\nmore\n");
  });

  it("W01 a name that got an equal file without a view is a name of the old one again", async () => {
    const bench = fresh({ variants: [] });
    for (const name of ["a", "b"]) writeFileSync(join(bench.root, name), "old\n");
    linkSync(join(bench.root, "a"), join(bench.root, "c"));
    await bench.shell("cp -p a t; mv t c; echo more >> a");
    expect((await bench.journal.undo()).losses).toEqual([]);
    expect(statSync(join(bench.root, "c")).ino).toBe(statSync(join(bench.root, "a")).ino);
  });

  it.skipIf(!viewWorks("user"))(
    "W03 names come back as one file if somebody changed the name that was left",
    async () => {
      const bench = prepared("user");
      linkSync(join(bench.root, "a"), join(bench.root, "d/a3"));
      await bench.shell("rm d/a2 d/a3");
      writeFileSync(join(bench.root, "a"), "by a person\n");
      await bench.journal.undo();
      const [a, a2, a3] = ["a", "d/a2", "d/a3"].map((name) => statSync(join(bench.root, name)).ino);
      expect(a3).toBe(a2);
      expect(a2).not.toBe(a);
    },
  );

  it("W03 an undo says which names became files of their own", () => {
    const { root } = fresh();
    const [a, b] = [join(root, "a"), join(root, "b")];
    for (const path of [a, b]) writeFileSync(path, "old\n");
    const after = { type: "file", hash: "", size: 4 } as const;
    const names = watchNames();
    names.made([
      { path: a, before: NONE, after },
      { path: b, before: NONE, after: { ...after, linkOf: a } },
    ]);
    expect(names.losses()).toEqual([{ path: b, why: "It is a file of its own now, not one with a." }]);
  });

  it.skipIf(!viewWorks("user"))(
    "W01 a file comes back without the access list that its folder gives to new ones",
    async () => {
      if (!hasAttributes()) return;
      const bench = prepared("user");
      await bench.shell("rm d/e");
      spawnSync("rm", ["-r", join(bench.folder, "annex/originals")]);
      give(bench, "d", { "system.posix_acl_default": aclOf([1, 7], [2, 7, 1000], [4, 5], [16, 7], [32, 5]) });
      await bench.journal.undo();
      expect(attributes(bench, "d/e")).toEqual({});
      await bench.shell("mkdir d/n; mv b n; mv n d/n/b; mv c d/n");
      expect(attributes(bench, "d/n/c")).toEqual({});
      expect(attributes(bench, "d/n")).toHaveProperty("system.posix_acl_default");
    },
  );
});

describe("the attributes of a file, with file tools", () => {
  it("W01 a write keeps ACL and attributes, and undo brings back those of a removed file", async () => {
    if (!hasAttributes()) return;
    const bench = prepared("user");
    const before = wholeState(bench);
    await bench.write("b", "new\n");
    expect(attributes(bench, "b")).toEqual({ ...ACL, ...TAG });
    expect(statSync(join(bench.root, "b")).mode & 0o777).toBe(0o660);
    await bench.journal.undo();
    expect(wholeState(bench)).toBe(before);
  });

  it("W01 a write keeps the names of a file together, and so does its undo", async () => {
    const bench = prepared("user");
    const before = wholeState(bench);
    await bench.write("a", "new\n");
    const [a, other] = ["a", "d/a2"].map((name) => statSync(join(bench.root, name)).ino);
    expect(other).toBe(a);
    expect(readFileSync(join(bench.root, "d/a2"), "utf8")).toBe("new\n");
    await bench.journal.undo();
    expect(wholeState(bench)).toBe(before);
    await bench.journal.redo();
    expect(readFileSync(join(bench.root, "d/a2"), "utf8")).toBe("new\n");
  });

  it("W01 a write says how many names outside the workspace keep the old content", async () => {
    const bench = prepared("user");
    linkSync(join(bench.root, "a"), join(bench.base, "outside"));
    expect(await bench.write("a", "new\n")).toMatchObject({ otherNames: 1 });
    expect(readFileSync(join(bench.base, "outside"), "utf8")).toBe("old a\n");
  });

  it("W01 a sparse file that was removed keeps its holes, also when only its content is left", async () => {
    if (!viewWorks("user")) return;
    const bench = prepared("user");
    const path = join(bench.root, "sparse");
    writeFileSync(path, "begin");
    truncateSync(path, 4_000_000);
    const { blocks } = statSync(path);
    await bench.shell("rm sparse");
    spawnSync("rm", ["-r", join(bench.folder, "annex/originals")]);
    await bench.journal.undo();
    expect(statSync(path)).toMatchObject({ size: 4_000_000 });
    expect(statSync(path).blocks).toBeLessThanOrEqual(blocks + 16);
  });

  it("W03 an original that somebody wrote to since is not given back", async () => {
    if (!viewWorks("user")) return;
    const bench = prepared("user");
    linkSync(join(bench.root, "c"), join(bench.base, "outside"));
    await bench.shell("rm c");
    writeFileSync(join(bench.base, "outside"), "by a person\n");
    await bench.journal.undo();
    expect(readFileSync(join(bench.root, "c"), "utf8")).toBe("old c\n");
  });

  it.skipIf(!isRoot || !viewWorks("root"))("W01 root's command may give a file away, and can be undone", async () => {
    const bench = fresh({ variants: ["root"] });
    const path = join(bench.root, "f");
    writeFileSync(path, "text");
    chmodSync(path, 0o640);
    await bench.shell("chown 1000:1000 f");
    expect(statSync(path)).toMatchObject({ uid: 1000, gid: 1000 });
    await bench.journal.undo();
    expect(statSync(path)).toMatchObject({ uid: 0, gid: 0 });
    chownSync(path, 1000, 1000);
    await bench.shell("rm f");
    await bench.journal.undo();
    expect(statSync(path)).toMatchObject({ uid: 1000, gid: 1000 });
  });
});
