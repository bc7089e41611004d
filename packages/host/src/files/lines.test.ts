import { createHash } from "node:crypto";
import { mkdtemp, open, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { createFiles } from "../create-files.ts";
import { detectEncoding } from "./encoding.ts";
import { LineSplitter } from "./line-splitter.ts";
import { splitLines } from "./lines.ts";

const files = createFiles();
let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(`${tmpdir()}/haft-lines-`));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const all = { first: 1, limit: 1_000_000, maxLineChars: 1_000_000 };
const put = async (data: string | Uint8Array) => {
  await writeFile(`${folder}/f`, data);
  return `${folder}/f`;
};

describe("lines", () => {
  it.each([
    ["", []],
    ["a", ["a"]],
    ["a\n", ["a"]],
    ["a\n\n", ["a", ""]],
    ["a\r\nb\r\n", ["a", "b"]],
    ["a\rb", ["a", "b"]],
    ["a\nb\rc\n", ["a", "b\rc"]],
    ["\n", [""]],
  ])("K01 %j has the lines %j", async (text, expected) => {
    const page = await files.lines(await put(text), all);
    expect(page).toMatchObject({ lines: expected, total: expected.length, whole: true, cut: [] });
    expect(page.hash).toBe(createHash("sha256").update(text).digest("hex"));
  });

  it("K01 a window is the same as a slice", async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    const path = await put(lines.join("\n"));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 120 }), fc.integer({ min: 1, max: 120 }), async (first, limit) => {
        const page = await files.lines(path, { ...all, first, limit });
        expect(page.lines).toEqual(lines.slice(first - 1, first - 1 + limit));
        expect(page.whole).toBe(first === 1 && limit >= 100);
      }),
      { numRuns: 50 },
    );
  });

  it("K01 a text file of 300 MB is paged without holding it", async () => {
    const path = `${folder}/big`;
    const handle = await open(path, "w");
    const block = Buffer.from(`${"0123456789".repeat(10)}\n`.repeat(10_000));
    for (let count = 0; count < 300; count++) await handle.write(block);
    await handle.close();
    global.gc?.();
    const before = process.memoryUsage().rss;
    const started = performance.now();
    const head = await files.lines(path, { first: 1, limit: 3, maxLineChars: 20 });
    expect(performance.now() - started).toBeLessThan(patience(500));
    expect(head).toEqual({ lines: Array(3).fill("01234567890123456789"), first: 1, whole: false, cut: [1, 2, 3] });
    const tail = await files.lines(path, { first: 2_999_999, limit: 10, maxLineChars: 200 });
    expect(tail).toMatchObject({ total: 3_000_000, lines: { length: 2 } });
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
    await rm(path);
  });

  it("K01 a cancelled reading ends", async () => {
    const path = await put("x\n".repeat(6_000_000));
    const work = files.lines(path, { ...all, signal: AbortSignal.abort() });
    await expect(work).rejects.toMatchObject({ name: "AbortError" });
  });
});

describe("LineSplitter", () => {
  const unit = fc.constantFrom("a", "ü", "漢", "🎉", "\n", "\r\n", "", "x".repeat(40));
  const texts = fc.array(unit, { maxLength: 60 }).map((units) => units.join(""));

  it.each(["utf-8", "utf16le"] as const)(
    "K01 gives the same lines as a split, for any ends of the pieces of %s",
    (name) => {
      fc.assert(
        fc.property(texts, fc.integer({ min: 1, max: 64 }), (text, size) => {
          const bytes = Buffer.from(text, name);
          const encoding = { name: name === "utf-8" ? "utf-8" : "utf-16le", bomBytes: 0 };
          const splitter = new LineSplitter(all, encoding, (piece) => Buffer.from(piece).toString(name));
          for (let from = 0; from < bytes.length; from += size) splitter.push(bytes.subarray(from, from + size));
          splitter.end();
          // A text of one line end kind only: lone carriage returns do not end lines in a stream.
          expect(splitter.lines).toEqual(splitLines(text));
        }),
      );
    },
  );
});

describe("the encoding", () => {
  it.each([
    ["plain text", Buffer.from("hello"), { name: "utf-8", bomBytes: 0 }],
    ["UTF-8 with a mark", Buffer.from("\ufeffhello"), { name: "utf-8", bomBytes: 3 }],
    ["UTF-16 with a mark", Buffer.from("\ufeffhi", "utf16le"), { name: "utf-16le", bomBytes: 2 }],
    ["UTF-16 without a mark", Buffer.from("hello world", "utf16le"), { name: "utf-16le", bomBytes: 0 }],
    ["an image", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]), undefined],
    ["zeros", Buffer.alloc(100), undefined],
    ["control characters", Buffer.from([1, 2, 3, 200, 4, 5]), undefined],
    ["nothing", Buffer.alloc(0), { name: "utf-8", bomBytes: 0 }],
  ])("K01 of %s", async (_, bytes, expected) => {
    expect(await detectEncoding(bytes)).toEqual(expected);
  });

  it("K04 any text file that is read and written back has the same bytes", async () => {
    const bytes = fc.oneof(
      fc.string({ unit: "grapheme" }).map((text) => Buffer.from(text)),
      fc.string({ unit: "grapheme" }).map((text) => Buffer.from(`\ufeff${text}`, "utf16le")),
      fc.uint8Array({ minLength: 1, maxLength: 200 }).map((array) => Buffer.from(array.map((byte) => byte | 0x20))),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (data) => {
        const path = await put(data);
        const file = await files.text(path).catch((error) => expect(error).toMatchObject({ code: "binary_file" }));
        if (!file) return;
        await files.write(path, file.text, { like: file, expect: file.hash });
        expect(Buffer.from(await files.bytes(path)).equals(data)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it("K04 GB18030 is recognised and kept", async () => {
    const { default: iconv } = await import("iconv-lite");
    const path = await put(
      iconv.encode("这是一个用于测试编码识别的中文文本，内容足够长。\r\n第二行也是中文。\r\n", "gb18030"),
    );
    const file = await files.text(path);
    expect(file).toMatchObject({ encoding: "gb18030", eol: "\r\n", bom: false });
    expect(file.text).toContain("测试编码");
  });
});
