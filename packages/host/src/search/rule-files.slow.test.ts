import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findFiles } from "./find.ts";
import { createRipgrep } from "./ripgrep.ts";
import { searchFiles } from "./search.ts";

let top: string;
let root: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(`${tmpdir()}/haft-rules-`));
  root = `${top}/work`;
  mkdirSync(`${root}/sub/deep`, { recursive: true });
  mkdirSync(`${root}/.git/info`, { recursive: true });
  writeFileSync(`${root}/.gitignore`, "*.log\n");
  for (const name of ["a.txt", "a.log", "sub/b.txt", "sub/b.log"]) writeFileSync(`${root}/${name}`, "wanted\n");
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

/** Everything that a name may be which is read for ever. */
const makers: Readonly<Record<string, (path: string) => void>> = {
  "a pipe": (path) => void execFileSync("mkfifo", [path]),
  "a link to a device without end": (path) => symlinkSync("/dev/zero", path),
};
const places = [
  "work/.ignore",
  "work/sub/.gitignore",
  "work/sub/deep/.rgignore",
  "work/.git/info/exclude",
  ".gitignore",
];

/** One place is enough for `npm test`. */
const smokeAt = (place: string) => (place.includes("/sub/") ? {} : { tags: ["smoke"] });

describe("rules of what is ignored that never end", () => {
  for (const [what, make] of Object.entries(makers))
    for (const place of places)
      it(`K09 K10 ${what} as ${place} holds nobody up, and the other rules count`, smokeAt(place), async () => {
        mkdirSync(dirname(`${top}/${place}`), { recursive: true });
        make(`${top}/${place}`);
        const ripgrep = createRipgrep({ workspace: root });
        const expected = [`${root}/a.txt`, `${root}/sub/b.txt`];
        const found = await findFiles({ root, pattern: "**/*", limit: 50 }, ripgrep);
        // Files that say what is ignored are files themselves.
        expect(found.paths.filter((path) => !path.endsWith("ignore")).sort()).toEqual(expected);
        const query = { root, pattern: "wanted", want: "files", limit: 50 } as const;
        expect((await searchFiles(query, ripgrep)).files.map(({ path }) => path)).toEqual(expected);
        const lines = await searchFiles({ ...query, want: "lines" }, ripgrep);
        expect(lines.matches.map(({ path }) => path)).toEqual(expected);
      });
});
