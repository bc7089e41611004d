// Workspaces and scripts with everything that belongs to a file: ACLs, attributes, owners, hard links and holes.
import { execFileSync, spawnSync } from "node:child_process";
import {
  chownSync,
  closeSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { readAttributes } from "@haft/host/files";
import fc from "fast-check";
import { toSystem } from "../../src/image/raw-path.ts";
import { scan } from "../../src/image/scan.ts";
import { stateOf } from "./journal.ts";
import { makeRepository, script } from "./mutations.ts";

const isRoot = process.geteuid?.() === 0;

/** Whether the programs that these scripts use are here. */
export const hasBelongings: boolean = ["setfacl", "setfattr", "perl"].every(
  (program) => spawnSync(program, ["--version"]).status === 0,
);

/** The repository of `makeRepository`, with files that have more than content and mode. */
export function makeBelongings(root: string): void {
  makeRepository(root);
  for (const name of ["acl", "tagged", "twin", "theirs"]) writeFileSync(join(root, name), `${name} one\n`);
  mkdirSync(join(root, "shared"));
  linkSync(join(root, "twin"), join(root, "shared/twin2"));
  linkSync(join(root, "twin"), join(root, "out/twin3"));
  execFileSync("setfacl", ["-m", "u:1000:rw,g::-", join(root, "acl")]);
  execFileSync("setfacl", ["-m", "u:1000:rwx", "-m", "d:u:1000:rwx", join(root, "shared")]);
  execFileSync("setfattr", ["-n", "user.keep", "-v", "this", join(root, "tagged")]);
  if (isRoot) chownSync(join(root, "theirs"), 1000, 1000);
  const sparse = openSync(join(root, "sparse"), "w");
  writeSync(sparse, "start one\n");
  writeSync(sparse, "middle\n", 400_000);
  closeSync(sparse);
  truncateSync(join(root, "sparse"), 1 << 20);
}

const path = fc.constantFrom(
  "a",
  "src/b",
  "acl",
  "tagged",
  "twin",
  "shared/twin2",
  "out/twin3",
  "theirs",
  "sparse",
  "fresh",
);
const folder = fc.constantFrom("shared", "src", "lib", "fresh");
const two = fc.tuple(path, path).filter(([from, to]) => from !== to);

const step: fc.Arbitrary<string> = fc.oneof(
  path.map((a) => `setfacl -m u:1000:rw ${a}`),
  path.map((a) => `setfacl -b ${a}`),
  path.map((a) => `setfattr -n user.more -v that ${a}`),
  path.map((a) => `setfattr -x user.keep ${a}`),
  path.map((a) => `sed -i s/one/1/ ${a}`),
  path.map((a) => `echo more >> ${a}`),
  path.map((a) => `echo whole > ${a}`),
  path.map((a) => `rm -f ${a}`),
  path.map((a) => `chmod 640 ${a}`),
  path.map((a) => `truncate -s 300000 ${a}`),
  path.map((a) => `fallocate -p -o 0 -l 8192 ${a}`),
  path.map((a) => `printf x | dd of=${a} bs=1 seek=200000 conv=notrunc status=none`),
  path.map((a) => `rm -rf ${a}; mkdir ${a}; echo in > ${a}/in`),
  two.map(([a, b]) => `ln -f ${a} ${b}`),
  two.map(([a, b]) => `cp -a ${a} ${b}`),
  two.map(([a, b]) => `cp --sparse=always ${a} ${b}`),
  two.map(([a, b]) => `mv ${a} ${b}`),
  two.map(([a, b]) => `ln -sfn ${a} ${b}`),
  folder.map((d) => `setfacl -m u:1000:rx ${d}`),
  folder.map((d) => `setfattr -n user.f -v v ${d}`),
  folder.map((d) => `rm -rf ${d}`),
  folder.map((d) => `mkdir -p ${d}; echo x > ${d}/made; ln ${d}/made ${d}/made2`),
  folder.map((d) => `mv ${d} moved`),
  ...(isRoot
    ? [
        path.map((a) => `chown 1000:1000 ${a}`),
        path.map((a) => `chown 0:0 ${a}`),
        path.map((a) => `chown -h 1000:1000 ${a}`),
        path.map((a) => `setfattr -n trusted.more -v that ${a}`),
        folder.map((d) => `chown -R 1000 ${d}`),
      ]
    : []),
);

/** Steps that give files names, take them away, and write under one of them. */
const linkStep: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: two.map(([a, b]) => `ln -f ${a} ${b}`) },
  path.map((a) => `sed -i s/one/1/ ${a}`),
  path.map((a) => `echo more >> ${a}`),
  path.map((a) => `echo whole > ${a}`),
  path.map((a) => `rm -f ${a}`),
  path.map((a) => `chmod 640 ${a}`),
  path.map((a) => `setfattr -n user.more -v that ${a}`),
  two.map(([a, b]) => `cp -a ${a} ${b}`),
  two.map(([a, b]) => `mv ${a} ${b}`),
  folder.map((d) => `mv ${d} moved`),
);

/** Scripts about belongings, mixed with those that change a repository. */
export const belongingsScript: fc.Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: fc.array(linkStep, { minLength: 1, maxLength: 6 }).map((steps) => steps.join("\n")) },
  { weight: 3, arbitrary: fc.array(step, { minLength: 1, maxLength: 6 }).map((steps) => steps.join("\n")) },
  { weight: 1, arbitrary: script },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.array(step, { minLength: 1, maxLength: 3 }), script)
      .map(([a, b]) => `${a.join("\n")}\n${b}`),
  },
);

/** A line for each path: type, mode, content, owner, attributes, whether it has holes, and the other names of a file. */
export function wholeStateOf(root: string): readonly string[] {
  const paths = [...scan(root).entries.keys()].filter((one) => !one.startsWith(`${root}/.git/`)).sort();
  const attributes = readAttributes(paths.map(toSystem));
  const stats = paths.map((one) => lstatSync(toSystem(one)));
  const names = Map.groupBy(
    paths.filter((_, index) => stats[index]?.isFile()),
    (one) => lstatSync(toSystem(one)).ino,
  );
  const more = paths.map((one, index) => {
    const { uid, gid, ino, blocks, size } = stats[index]!;
    const [first = "", ...others] = names.get(ino) ?? [];
    const isSparse = names.has(ino) && size >= 65_536 && blocks * 512 < size;
    const group = others.length > 0 ? ` = ${first.slice(root.length)}` : "";
    return `${one.slice(root.length)} ${uid}:${gid}${isSparse ? " holes" : ""}${group} ${JSON.stringify(attributes?.get(index) ?? {})}`;
  });
  // A repository's index holds times and inodes; git writes it anew whenever it looks at the files.
  const content = stateOf(root, (one) => one.endsWith("/.git/index")).split("\n/");
  return [...content.map((line) => (line.startsWith("/") ? line : `/${line}`)), ...more];
}
