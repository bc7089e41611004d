import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { toSystem } from "./raw-path.ts";
import { scan } from "./scan.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-scan-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** More entries than one process reads by itself, among them the names and kinds that are easily got wrong. */
function tree(name: string, more: (root: string) => void = () => {}): string {
  const root = join(base, name);
  for (let folder = 0; folder < 50; folder++) {
    mkdirSync(join(root, `d${folder % 7}`, `e${folder}`), { recursive: true });
    for (let file = 0; file < 100; file++)
      writeFileSync(join(root, `d${folder % 7}`, `e${folder}`, `${file}`), "x".repeat(file));
  }
  more(root);
  return root;
}

const odd = (root: string): void => {
  for (const name of ["new\nline", "a  b", "é", "\ufffd", " ", "tab\t", "\u{1f600}"])
    writeFileSync(join(root, name), name);
  writeFileSync(toSystem(`${root}/raw \udcff\udc80`), "raw");
  mkdirSync(toSystem(`${root}/\udcfe folder`));
  writeFileSync(toSystem(`${root}/\udcfe folder/in é`), "raw");
  symlinkSync("nowhere\n", join(root, "link"));
  linkSync(join(root, "é"), join(root, "second name"));
  mkdirSync(join(root, "skipped/inner"), { recursive: true });
  writeFileSync(join(root, "skipped/inner/file"), "");
};

it("W01 a program lists a large folder exactly as Node does", { tags: ["smoke"] }, () => {
  const root = tree("odd", odd);
  for (const isSkipped of [() => false, (path: string) => path.endsWith("/skipped")]) {
    const options = { limit: Number.POSITIVE_INFINITY, isSkipped };
    const own = scan(root, options);
    const listed = scan(root, { ...options, isWhole: true });
    expect([...listed.entries]).toEqual([...own.entries]);
    expect(listed.complete).toBe(true);
  }
  expect(scan(root, { limit: 4_500, isWhole: true })).toEqual(scan(root, { limit: 4_500 }));
});

it("W01 times before 1970 and in the far future do not matter", () => {
  const root = tree("old", (at) => {
    utimesSync(join(at, "d0"), -5.5, -5.5);
    utimesSync(join(at, "d1"), 4_000_000_000, 4_000_000_000);
  });
  const options = { limit: Number.POSITIVE_INFINITY };
  expect(scan(root, { ...options, isWhole: true })).toEqual(scan(root, options));
});
