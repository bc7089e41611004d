import { expect, it } from "vitest";
import { lineWriter } from "./line-writer.ts";

it("keeps every line and their order, in fewer pieces, however slow the reader is", async () => {
  const pieces: string[] = [];
  let open = 0;
  const writer = lineWriter(async (text) => {
    expect(++open).toBe(1);
    pieces.push(text);
    await new Promise((resolve) => setTimeout(resolve, 1));
    open--;
  });
  const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index} ${"x".repeat(50)}`);
  for (const line of lines) await writer.write(line);
  await writer.flush();
  expect(pieces.join("")).toBe(`${lines.join("\n")}\n`);
  expect(pieces.length).toBeLessThan(100);
});

it("sends a lone line without being told to", async () => {
  const sent = Promise.withResolvers<string>();
  const writer = lineWriter(async (text) => sent.resolve(text));
  await writer.write("alone");
  expect(await sent.promise).toBe("alone\n");
});
