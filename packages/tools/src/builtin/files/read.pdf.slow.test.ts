import { writeFile } from "node:fs/promises";
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patience } from "../../../../../test/support/patience.ts";
import { createWorld, failure, type World } from "../../../test/support/context.ts";
import { pdfOf } from "../../../test/support/pdf.ts";
import { parsePages } from "./read/pdf/page-range.ts";
import { read } from "./read.ts";
import { readManyFiles } from "./read-many-files.ts";

let world: World;
const put = (name: string, data: Uint8Array | string) => writeFile(`${world.folder}/${name}`, data);
const use = (file_path: string, pages?: string) => world.use(read, { file_path, ...(pages ? { pages } : {}) });

beforeAll(async () => {
  world = await createWorld();
  await put("three.pdf", pdfOf(["First page\nsecond line", "Second page", ""]));
  await put("many.pdf", pdfOf(Array.from({ length: 45 }, (_, index) => `Text of page ${index + 1}.`)));
});
afterAll(() => world.close());

describe("Read of a PDF", () => {
  it("K01 gives the text of its pages, and says which are pictures", { tags: ["smoke"] }, async () => {
    const { text, output, titles } = await use("three.pdf");
    expect(text).toContain("--- page 1 of 3 ---\nFirst page\nsecond line\n--- page 2 of 3 ---\nSecond page\n");
    expect(text).toMatch(/\[No text on page 3: pictures or scans\. .*pdftoppm -r 100 -f 3 -l 3/);
    expect(output).toMatchObject({ pages: { first: 1, last: 3, total: 3 }, truncated: false });
    expect(titles.at(-1)).toBe("Read 3 pages of three.pdf");
  });

  it("K01 gives a range of pages, at most 20 a call, and names the next call", async () => {
    expect((await use("many.pdf")).output.pages).toEqual({ first: 1, last: 20, total: 45 });
    const { text, output } = await use("many.pdf", "21-");
    expect(output.pages).toEqual({ first: 21, last: 40, total: 45 });
    expect(text).toContain('[Pages 21 to 40 of 45. Read on with pages: "41-45".]');
    expect((await use("many.pdf", "7")).text).toBe("--- page 7 of 45 ---\nText of page 7.");
    expect(await failure(use("many.pdf", "46-"))).toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("45 pages"),
    });
  });

  it("K01 an offset of lines is left aside, and said so", async () => {
    const { text } = await world.use(read, { file_path: "many.pdf", offset: 400, pages: "3" });
    expect(text).toMatch(/Text of page 3\.\n\n\[offset and limit were ignored.* Use pages\.\]$/);
  });

  it("K01 whole pages up to the bound of an answer; of one that is longer its beginning", async () => {
    const long = `${"0123456789 ".repeat(24)}\n`.repeat(300);
    await put("long.pdf", pdfOf([long, "short", long]));
    const { output, text } = await use("long.pdf");
    expect(output.pages).toEqual({ first: 1, last: 2, total: 3 });
    expect(text).toContain('Read on with pages: "3-3"');
    await put("giant.pdf", pdfOf([long + long]));
    const giant = await use("giant.pdf");
    expect(giant.output.truncated).toBe(true);
    expect(giant.text).toContain("[Page 1 is longer than one answer and was cut.");
  });

  it.each([
    ["encrypted.pdf", pdfOf(["secret"], { encrypted: true }), "permission_denied", "password"],
    ["broken.pdf", pdfOf(["x"]).subarray(0, 40), "validation_failed", "cannot be read as a PDF"],
    ["empty.pdf", Buffer.from("%PDF-1.7\n"), "validation_failed", "cannot be read as a PDF"],
  ])("K01 %s is refused in words", async (name, data, code, words) => {
    await put(name, data);
    expect(await failure(use(name))).toMatchObject({ code, message: expect.stringContaining(words) });
  });

  it("K01 a bomb ends within time and memory, or is read as little as it says", async () => {
    const zeros = deflateSync(deflateSync(Buffer.alloc(100_000_000), { level: 9 }), { level: 9 });
    await put("bomb.pdf", pdfOf(["x"], { content: { data: zeros, filter: "[/FlateDecode /FlateDecode]" } }));
    const before = process.memoryUsage.rss();
    const started = performance.now();
    await use("bomb.pdf").catch((thrown) => expect(thrown).toMatchObject({ code: "file_too_large" }));
    expect(performance.now() - started).toBeLessThan(patience(25_000));
    expect(process.memoryUsage.rss() - before).toBeLessThan(1.5 * 1024 ** 3);
  }, 40_000);

  it("E13 a cancelled read ends at once, its thread too", async () => {
    const zeros = deflateSync(Buffer.alloc(50_000_000));
    await put("slow.pdf", pdfOf(["x"], { content: { data: zeros, filter: "/FlateDecode" } }));
    const signal = AbortSignal.timeout(100);
    const started = performance.now();
    await world.use(read, { file_path: "slow.pdf" }, { signal }).catch(() => undefined);
    expect(performance.now() - started).toBeLessThan(patience(3000));
  });

  it("K01 a text that is called a PDF is read as text, and pages are for PDFs", async () => {
    await put("note.pdf", "only text\n");
    expect((await use("note.pdf")).text).toBe("     1\tonly text");
    expect(await failure(use("note.pdf", "1"))).toMatchObject({ code: "invalid_input" });
    expect(await failure(use("many.pdf", "3-2"))).toMatchObject({ code: "invalid_input" });
  });

  it("K03 is read among several files too", async () => {
    const { text } = await world.use(readManyFiles, { paths: ["three.pdf", "note.pdf"] });
    expect(text).toContain("First page\nsecond line");
    expect(text).toContain("only text");
  });

  it("K01 a range is read as it is meant or refused", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9999 }), fc.nat(500), (first, more) => {
        expect(parsePages(` ${first} - ${first + more} `)).toEqual({ first, last: first + more });
        expect(parsePages(`${first}`)).toEqual({ first, last: first });
        expect(parsePages(`${first}-`)).toEqual({ first });
        if (more > 0) expect(() => parsePages(`${first + more}-${first}`)).toThrow(/not a range/);
      }),
    );
    for (const wrong of ["", "0", "-3", "a", "1,2", "1-2-3", "1e3"])
      expect(() => parsePages(wrong)).toThrow(/not a range/);
  });
});
