// Two engines, one meaning: ripgrep and the builtin search are asked the same things about the same tree.
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import type { SearchQuery } from "@haft/core/tool";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { createFiles } from "../create-files.ts";
import { createRipgrep } from "./ripgrep.ts";

const fast = createFiles({ ripgrep: createRipgrep() });
const plain = createFiles();
let root: string;

const tree: Readonly<Record<string, string | Uint8Array>> = {
  "a.ts": "import x\nfoo bar\n\n  foo(1)\nlast foo",
  "b/deep/c.js": "foo\r\nFOO\r\nbar\r\n",
  "b/d.min.js": "foo",
  "b/.gitignore": "*.min.js\n!keep.min.js\n",
  "b/keep.min.js": "foo kept\n",
  ".gitignore": "/ignored\n*.log\n# comment\nbuild/\n",
  "ignored/x.ts": "foo\n",
  "b/ignored/y.ts": "foo\n",
  "noise.log": "foo\n",
  "build/z.ts": "foo\n",
  ".ignore": "secret.txt\n",
  "secret.txt": "foo\n",
  ".hidden/h.ts": "foo hidden\n",
  ".git/config": "foo\n",
  "bin.dat": Buffer.from("foo\0bar\n"),
  "wide.txt": Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("foo wide\n", "utf16le")]),
  "bom.txt": "\ufefffoo bom\n",
  "empty.txt": "",
  "umlaut ü.md": "Straße foo\nÄpfel\n",
  "line\nbreak.txt": "foo\n",
  "context.txt": Array.from({ length: 30 }, (_, index) => (index % 7 === 3 ? `foo ${index}` : `line ${index}`)).join(
    "\n",
  ),
};

beforeAll(async () => {
  root = await realpath(await mkdtemp(`${tmpdir()}/haft-engines-`));
  for (const [name, data] of Object.entries(tree)) {
    await mkdir(`${root}/${name.slice(0, Math.max(name.lastIndexOf("/"), 0))}`, { recursive: true });
    await writeFile(`${root}/${name}`, data);
  }
  await symlink("a.ts", `${root}/link.ts`);
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function both(query: Omit<SearchQuery, "root" | "limit"> & { root?: string; limit?: number }) {
  const whole = { root, limit: 1000, ...query };
  const [{ engine: a, ...one }, { engine: b, ...other }] = await Promise.all([fast.search(whole), plain.search(whole)]);
  expect([a, b]).toEqual(["ripgrep", "builtin"]);
  return { one, other };
}

describe("search", () => {
  const patterns = [
    "foo",
    "^foo",
    "foo$",
    "fo+\\b",
    "\\bbar",
    "(?i)foo",
    "[[:upper:]]+",
    "Stra.e",
    "\\w+\\(\\d\\)",
    "foo|bar",
    "^$",
    "\\.",
    "ä",
    "x{1,2}",
    "import\\s+x",
  ];
  const queries = fc.record({
    pattern: fc.constantFrom(...patterns),
    want: fc.constantFrom("lines", "files", "counts"),
    ignoreCase: fc.boolean(),
    before: fc.nat(2),
    after: fc.nat(2),
    glob: fc.constantFrom<string[]>([], ["*.ts"], ["b/**"], ["!*.js"], ["*.{ts,txt}", "!context.txt"], ["**/deep/*"]),
    limit: fc.constantFrom(1, 3, 1000),
    offset: fc.nat(4),
  }) as fc.Arbitrary<Omit<SearchQuery, "root">>;

  it("K11 gives the same hits, context, totals and order with either engine", async () => {
    await fc.assert(
      fc.asyncProperty(queries, async (query) => {
        const { one, other } = await both(query);
        expect(other).toEqual(one);
      }),
      { numRuns: 120 },
    );
  });

  it.each(["ignored", "b", "build", "a.ts", "line\nbreak.txt", ".git"])(
    "K11 the same when %j is named",
    async (name) => {
      const { one, other } = await both({ root: `${root}/${name}`, pattern: "foo", want: "lines" });
      expect(one.total).toBeGreaterThan(0);
      expect(other).toEqual(one);
    },
  );

  it("K11 the same across lines", { tags: ["smoke"] }, async () => {
    const { one, other } = await both({ pattern: "import.*bar", want: "lines", multiline: true });
    expect(one.matches.map((match) => match.line)).toEqual([1, 2]);
    expect(other).toEqual(one);
  });

  it("K11 the same by file type", async () => {
    for (const type of ["ts", "js", "md", "txt"]) {
      const { one, other } = await both({ pattern: "foo", want: "files", type });
      expect(other).toEqual(one);
    }
  });

  it.each(["(", "foo(?=bar)", "(a)\\1", "[z-a]", "*"])("K11 both refuse %s", async (pattern) => {
    for (const files of [fast, plain])
      await expect(files.search({ root, pattern, want: "lines", limit: 1 })).rejects.toMatchObject({
        code: "invalid_input",
      });
  });

  it("K11 the builtin search does not hang on an exponential pattern", async () => {
    await writeFile(`${root}/evil.txt`, `${"a".repeat(40)}!`);
    const started = performance.now();
    const search = plain.search({ root: `${root}/evil.txt`, pattern: "^(a+)+$", want: "lines", limit: 1 });
    await expect(search).rejects.toMatchObject({ code: "timeout" });
    expect(performance.now() - started).toBeLessThan(patience(4000));
  });
});

describe("find", () => {
  it.each(["**/*", "*.ts", "b/**", "*.{js,txt}", "?.ts"])(
    "K09 lists the same files for %s with either engine",
    async (pattern) => {
      const [one, other] = await Promise.all([fast, plain].map((files) => files.find({ root, pattern, limit: 1000 })));
      expect(other).toEqual(one);
      expect(one?.total).toBeGreaterThan(0);
    },
  );

  it("K09 ignore files can be ignored", async () => {
    const [one, other] = await Promise.all(
      [fast, plain].map((files) => files.find({ root, pattern: "**/*.log", limit: 10, ignore: false })),
    );
    expect(one?.paths).toEqual([`${root}/noise.log`]);
    expect(other).toEqual(one);
  });
});

describe("the ripgrep program", () => {
  it("K10 is never taken from the workspace", async () => {
    await mkdir(`${root}/tools`, { recursive: true });
    await writeFile(`${root}/tools/rg`, "#!/bin/sh\necho evil", { mode: 0o755 });
    const options = { bundled: false, path: `${root}/tools:relative` };
    expect(await createRipgrep({ ...options, workspace: root })()).toBeUndefined();
    expect(await createRipgrep(options)()).toBe(`${root}/tools/rg`);
  });
});
