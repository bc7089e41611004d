import { chmod, utimes, writeFile } from "node:fs/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWorld, failure, type World } from "../../../test/support/context.ts";
import { bash } from "../run/bash.ts";
import { printedLines } from "../support/command/printed-files.ts";
import { linesAfter } from "../support/shown-lines.ts";
import { applyPatch } from "./apply-patch.ts";
import { edit } from "./edit.ts";
import { read } from "./read.ts";
import { write } from "./write.ts";

let world: World;
const at = (name: string) => `${world.folder}/${name}`;
const LINES = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
const put = async (name: string, text = `${LINES.join("\n")}\n`) => writeFile(at(name), text);
const mayWrite = async (name: string): Promise<string> => {
  const error = await world.use(write, { file_path: name, content: "new\n" }).then(
    () => undefined,
    (thrown: { code: string }) => thrown,
  );
  return error?.code ?? "written";
};

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

describe("Write over a file", () => {
  it("K04 the parts that were read add up to the whole", async () => {
    await put("parts.txt");
    await world.use(read, { file_path: "parts.txt", limit: 20 });
    expect(await mayWrite("parts.txt")).toBe("read_first");
    await world.use(read, { file_path: "parts.txt", offset: 21 });
    expect(await mayWrite("parts.txt")).toBe("written");
  });

  it("K04 an edit shows nothing of the rest; after a read it takes nothing away", async () => {
    await put("edited.txt");
    const change = { file_path: "edited.txt", old_string: "line 7\n", new_string: "seven\n" };
    await world.use(edit, change);
    expect(await mayWrite("edited.txt")).toBe("read_first");
    await world.use(read, { file_path: "edited.txt" });
    await world.use(edit, { ...change, old_string: "line 8\n" });
    expect(await mayWrite("edited.txt")).toBe("written");
  });

  it("K04 K05 lines that were read stay known across own edits, at their new places", async () => {
    await put("shifted.txt");
    await world.use(read, { file_path: "shifted.txt", limit: 20 });
    await world.use(edit, { file_path: "shifted.txt", old_string: "line 7\n", new_string: "seven\nand more\n" });
    expect(await world.ports.files.seen(at("shifted.txt"))).toMatchObject({ whole: false, lines: [[1, 21]] });
    const patch = "*** Begin Patch\n*** Update File: shifted.txt\n@@\n-line 2\n-line 3\n*** End Patch";
    await world.use(applyPatch, { input: patch });
    expect(await world.ports.files.seen(at("shifted.txt"))).toMatchObject({ lines: [[1, 19]] });
    expect(await mayWrite("shifted.txt")).toBe("read_first");
    await world.use(read, { file_path: "shifted.txt", offset: 20 });
    expect(await mayWrite("shifted.txt")).toBe("written");
  });

  it("K04 after any change only lines that were known are known, and the model's own", () => {
    const lines = (name: string, most: number) =>
      fc.nat(most).map((size) => Array.from({ length: size }, (_, index) => `${name}${index}`));
    const texts = fc.tuple(lines("head", 9), lines("old", 5), lines("new", 5), lines("tail", 9));
    fc.assert(
      fc.property(texts, fc.nat(20), fc.nat(20), ([head, old, next, tail], from, more) => {
        const [before, after] = [
          [...head, ...old, ...tail],
          [...head, ...next, ...tail],
        ];
        const known = new Set([...before.slice(Math.max(from - 1, 0), from + more), ...next]);
        const ranges = linesAfter([[Math.max(from, 1), Math.min(from + more, before.length)]], before, after);
        for (const [first, last] of ranges)
          for (const line of after.slice(first - 1, last)) expect(known).toContain(line);
        expect(Math.max(0, ...ranges.map(([, last]) => last))).toBeLessThanOrEqual(after.length);
        // Nothing that was known and still stands is lost.
        const kept = ranges.flatMap(([first, last]) => after.slice(first - 1, last));
        for (const line of [...head, ...tail]) if (known.has(line)) expect(kept).toContain(line);
      }),
    );
  });

  it("K04 so does a patch; the content that it adds is known", async () => {
    await put("patched.txt");
    const patch = (body: string) => ({ input: `*** Begin Patch\n${body}\n*** End Patch` });
    await world.use(applyPatch, patch("*** Update File: patched.txt\n@@\n-line 3\n+three"));
    expect(await mayWrite("patched.txt")).toBe("read_first");
    await world.use(applyPatch, patch("*** Add File: added.txt\n+a\n+b"));
    expect(await mayWrite("added.txt")).toBe("written");
  });

  it("K04 content decides, not the time: touched or given another mode it is the same, changed back in time it is not", async () => {
    await put("time.txt");
    await world.use(read, { file_path: "time.txt" });
    await utimes(at("time.txt"), 1, 1);
    await chmod(at("time.txt"), 0o600);
    expect(await mayWrite("time.txt")).toBe("written");
    await world.use(read, { file_path: "time.txt" });
    const { mtime } = await (await import("node:fs/promises")).stat(at("time.txt"));
    await put("time.txt", "NEW\n");
    await utimes(at("time.txt"), mtime, mtime);
    expect(await mayWrite("time.txt")).toBe("file_changed");
  });

  it.each([
    ["cat", "cat FILE"],
    ["cat with numbers", "cat -n FILE"],
    ["nl", "nl FILE"],
    ["sed in two halves", "sed -n '1,15p' FILE; sed -n '16,30p' FILE"],
    ["head and tail", "head -20 FILE && tail -n 12 FILE"],
    ["grep", "grep -n . FILE"],
  ])("K04 a read through the shell counts: %s", async (_, command) => {
    await put("shell.txt");
    await world.use(bash, { command: command.replaceAll("FILE", "shell.txt") });
    expect(await mayWrite("shell.txt")).toBe("written");
  });

  it.each([
    ["a part", "head -5 FILE"],
    ["nothing of it", "wc -l FILE"],
    ["its hits alone", "grep 'line 1' FILE"],
    ["another text", "sed 's/line/row/' FILE"],
    ["its output thrown away", "cat FILE > /dev/null"],
  ])("K04 text that the shell did not show does not: %s", async (_, command) => {
    await put("hidden.txt", `${LINES.join("\n")}\nlast of ${command}\n`);
    await world.use(bash, { command: command.replaceAll("FILE", "hidden.txt") });
    expect(await mayWrite("hidden.txt")).toBe("read_first");
  });

  it("K04 lines cut for their length were not read", async () => {
    await put("long.txt", `short\n${"x".repeat(5000)}\nlast\n`);
    await world.use(read, { file_path: "long.txt" });
    expect(await failure(world.use(write, { file_path: "long.txt", content: "a" }))).toMatchObject({
      code: "read_first",
      message: expect.stringContaining("only in part: lines 1, 3."),
      hint: expect.stringContaining("sed -n"),
    });
    await world.use(bash, { command: "sed -n 2p long.txt" });
    expect(await mayWrite("long.txt")).toBe("written");
  });

  it("K04 only lines that an output holds are found in it", () => {
    const line = fc.constantFrom("a", "b", "c", "", "}");
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.array(line, { maxLength: 12 }), (file, output) => {
        for (const [first, last] of printedLines(file, output)) {
          const passage = file.slice(first - 1, last).join("\n");
          expect(`\n${output.join("\n")}\n`).toContain(`\n${passage}\n`);
        }
        expect(printedLines(file, file).at(0) ?? [1, 0]).toEqual([1, file.length]);
      }),
    );
  });
});
