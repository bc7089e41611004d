import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readLines } from "./json-text.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "haft-lines-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function linesOf(text: string): Promise<string[]> {
  const file = join(folder, "lines.jsonl");
  writeFileSync(file, text);
  const lines: string[] = [];
  for await (const line of readLines(file, new AbortController().signal)) lines.push(line);
  return lines;
}

const character = fc.oneof(
  fc.constantFrom("\u2028", "\u2029", "\u0085", "\v", "\f", "\r", '"', "é", "\u{1f600}"),
  fc.string({ minLength: 1, maxLength: 1, unit: "binary" }),
);

it("lines of JSON come back as they were, with any characters in their texts", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: character })), fc.constantFrom("\n", "\r\n"), async (texts, end) => {
      const lines = texts.map((text) => JSON.stringify(text));
      expect(await linesOf(lines.map((line) => line + end).join(""))).toEqual(lines);
    }),
  );
});

it("a line over many reads is one line, empty lines are counted, and the last needs no line feed", async () => {
  const long = "\u2028é".repeat(100_000);
  expect(await linesOf(`\n${long}\n\r\nlast`)).toEqual(["", long, "", "last"]);
});

it("an aborted signal ends the lines without an error", async () => {
  const stop = new AbortController();
  const file = join(folder, "aborted.jsonl");
  writeFileSync(file, "1\n2\n3\n");
  const seen: string[] = [];
  for await (const line of readLines(file, stop.signal)) {
    seen.push(line);
    stop.abort();
  }
  expect(seen).toEqual(["1"]);
});
