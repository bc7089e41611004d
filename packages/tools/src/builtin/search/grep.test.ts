import { mkdir, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patience } from "../../../../../test/support/patience.ts";
import { createWorld, failure, type World } from "../../../test/support/context.ts";
import { grep } from "./grep.ts";

let world: World;
type Wish = Parameters<typeof grep.run>[0];
const use = (wish: Wish, signal?: AbortSignal) => world.use(grep, wish, signal ? { signal } : {});
const put = async (name: string, text: string) => {
  const path = `${world.folder}/${name}`;
  await mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await writeFile(path, text);
};

beforeAll(async () => {
  world = await createWorld();
  await put("src/a.ts", "first\nneedle one\nmiddle\nNeedle two\nlast\n");
  await put("src/b.js", "needle three\nneedle four\n");
  await put("docs/c.md", "nothing\n");
  await put("ignored/d.ts", "needle\n");
  await put(".gitignore", "ignored\n");
  await put("-dash.txt", "--files -e\n");
});
afterAll(() => world.close());

describe("Grep", () => {
  it("K10 gives paths, in order", async () => {
    const { text, output, titles } = await use({ pattern: "needle" });
    expect(text).toBe("src/a.ts\nsrc/b.js");
    expect(output).toMatchObject({ total: 2, truncated: false, engine: "ripgrep" });
    expect(titles).toEqual(["Searching: needle", "Found 2 files"]);
  });

  it("K10 gives lines, with and without numbers and case", async () => {
    const wish = { pattern: "needle", output_mode: "content", path: "src/a.ts", "-C": 0 } as const;
    expect((await use(wish)).text).toBe("src/a.ts:2:needle one");
    expect((await use({ ...wish, "-i": true, "-n": false })).text).toBe("src/a.ts:needle one\nsrc/a.ts:Needle two");
  });

  it("U04 says which parts of a line match, with either kind of pattern", async () => {
    const rangesOf = async (wish: Wish) => {
      const { output } = await use({ output_mode: "content", path: "src/b.js", ...wish });
      return output.matches.filter(({ context }) => !context).map(({ ranges }) => ranges);
    };
    expect(await rangesOf({ pattern: "e+" })).toEqual([
      [
        [1, 3],
        [5, 6],
        [10, 12],
      ],
      [
        [1, 3],
        [5, 6],
      ],
    ]);
    expect(await rangesOf({ pattern: "(e+d|f.*r)+" })).toEqual([
      [[1, 4]],
      [
        [1, 4],
        [7, 11],
      ],
    ]);
    // A line without a match has no mark, and neither has a context line.
    expect(await rangesOf({ pattern: "^" })).toEqual([undefined, undefined]);
    const { display } = await use({ pattern: "four", output_mode: "content", path: "src/b.js" });
    expect(display).toEqual({
      kind: "matches",
      matches: [{ path: "src/b.js", line: 2, text: "needle four", ranges: [[7, 11]] }],
    });
  });

  it("K10 shows few hits with the lines around them, many without", async () => {
    const few = await use({ pattern: "middle", output_mode: "content" });
    expect(few.text.split("\n")).toEqual([
      "src/a.ts-1-first",
      "src/a.ts-2-needle one",
      "src/a.ts:3:middle",
      "src/a.ts-4-Needle two",
      "src/a.ts-5-last",
    ]);
    expect(few.output).toMatchObject({ total: 1, shown: 1, truncated: false });
    const many = await use({ pattern: "needle|first", "-i": true, output_mode: "content" });
    expect(many.text.split("\n").every((line) => /:\d+:/.test(line))).toBe(true);
  });

  it("K10 gives context, passages apart", async () => {
    const { text } = await use({ pattern: "one|last", output_mode: "content", path: "src/a.ts", "-A": 1, "-B": 0 });
    expect(text).toBe("src/a.ts:2:needle one\nsrc/a.ts-3-middle\n--\nsrc/a.ts:5:last");
    const around = await use({ pattern: "middle", output_mode: "content", path: "src/a.ts", "-C": 1 });
    expect(around.text).toBe("src/a.ts-2-needle one\nsrc/a.ts:3:middle\nsrc/a.ts-4-Needle two");
  });

  it("K10 counts over all files, also those that are not shown", async () => {
    const { text } = await use({ pattern: "needle", output_mode: "count", "-i": true, head_limit: 1 });
    expect(text).toBe("src/a.ts:2\n[4 matching lines in 2 files]\n[1 to 1 of 2 files. Continue with offset: 1.]");
  });

  it("K10 filters by glob and type; ignored files stay out even where the glob fits", async () => {
    expect((await use({ pattern: "needle", glob: "*.ts" })).text).toBe("src/a.ts");
    expect((await use({ pattern: "needle", glob: "!*.ts" })).text).toBe("src/b.js");
    expect((await use({ pattern: "needle", glob: "src/**/*.js" })).text).toBe("src/b.js");
    expect((await use({ pattern: "needle", type: "js" })).text).toBe("src/b.js");
    expect((await use({ pattern: "needle", path: "ignored" })).text).toBe("ignored/d.ts");
  });

  it("K10 pages through the hits", async () => {
    const wish = { pattern: "needle", output_mode: "content", head_limit: 1 } as const;
    expect((await use(wish)).text).toBe(
      "src/a.ts:2:needle one\n[1 to 1 of 3 matching lines. Continue with offset: 1.]",
    );
    expect((await use({ ...wish, offset: 2 })).text).toBe("src/b.js:2:needle four");
    expect((await use({ ...wish, offset: 9 })).text).toBe("No entries at offset 9: there are 3 matching lines.");
    expect((await use({ ...wish, head_limit: 0 })).output.shown).toBe(3);
  });

  it("K10 matches across lines when told", async () => {
    const { text } = await use({ pattern: "one.*Needle", multiline: true, output_mode: "content" });
    expect(text).toBe("src/a.ts:2:needle one\nsrc/a.ts:3:middle\nsrc/a.ts:4:Needle two");
  });

  it("K10 a bad pattern or type is an error in ripgrep's own words", async () => {
    const error = await failure(use({ pattern: "need(" }));
    expect(error).toMatchObject({ code: "invalid_input", message: expect.stringContaining("unclosed group") });
    expect(await failure(use({ pattern: "x", type: "nosuch" }))).toMatchObject({ code: "invalid_input" });
    expect((await failure(use({ pattern: "a\nb" }))).hint).toContain("multiline");
  });

  it.each(["--files", "-e", "--pre=touch", "-f/etc/passwd", "--", "-"])(
    "K10 the pattern %s is a pattern",
    async (pattern) => {
      const { output } = await use({ pattern });
      expect(output.files.every((file) => file.path === "-dash.txt")).toBe(true);
      expect(output.total).toBe(pattern === "--pre=touch" || pattern === "-f/etc/passwd" ? 0 : 1);
    },
  );

  it("K10 options hidden in glob, type or path stay values", async () => {
    expect((await use({ pattern: "needle", glob: "--pre=/bin/sh" })).output.total).toBe(0);
    expect(await failure(use({ pattern: "needle", type: "js --pre=x" }))).toMatchObject({ code: "invalid_input" });
    expect((await use({ pattern: "files", path: "-dash.txt" })).output.total).toBe(1);
  });

  it("K10 the user's ripgrep configuration has no part in it", async () => {
    await put("rc", "--invert-match\n");
    process.env.RIPGREP_CONFIG_PATH = `${world.folder}/rc`;
    try {
      expect((await use({ pattern: "needle three", output_mode: "content" })).output.total).toBe(1);
    } finally {
      delete process.env.RIPGREP_CONFIG_PATH;
    }
  });

  it("K10 a match deep in a very long line is shown with its surroundings", async () => {
    await put("long/min.js", `${"x".repeat(600_000)}TARGET${"y".repeat(600_000)}\n`);
    const { output } = await use({ pattern: "TARGET", output_mode: "content" });
    expect(output.matches[0]?.text).toContain("xxTARGETyy");
    expect(output.matches[0]?.text.length).toBeLessThan(600);
  });

  it("K10 nothing found is said, a missing path is an error", async () => {
    expect((await use({ pattern: "zzz" })).text).toBe(`No match for zzz in ${world.folder}.`);
    expect(await failure(use({ pattern: "x", path: "gone" }))).toMatchObject({ code: "file_not_found" });
  });

  it("K11 without ripgrep the same search gives the same text, and says its engine", async () => {
    const plain = await createWorld({ ripgrep: async () => undefined });
    try {
      const wish = { pattern: "needle", path: `${world.folder}/src`, output_mode: "content" } as const;
      const [with_, without] = [await use(wish), await plain.use(grep, wish)];
      expect(without.output.engine).toBe("builtin");
      expect(without.output.matches.map(({ line, text }) => [line, text])).toEqual(
        with_.output.matches.map(({ line, text }) => [line, text]),
      );
      expect(without.progress.at(-1)?.metadata).toMatchObject({ engine: "builtin", count: 3 });
    } finally {
      await plain.close();
    }
  });

  it("E13 a cancelled search ends at once", async () => {
    const started = performance.now();
    const work = use({ pattern: "[a-z]+[0-9]+zq", path: "/usr" }, AbortSignal.timeout(50));
    await expect(work).rejects.toMatchObject({ name: "TimeoutError" });
    expect(performance.now() - started).toBeLessThan(patience(1000));
  });
});
