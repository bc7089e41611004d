import { readFile, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWorld, failure, type World } from "../../../test/support/context.ts";
import { edit } from "./edit.ts";
import { read } from "./read.ts";
import { write } from "./write.ts";

let world: World;
const OLD = `${Array.from({ length: 12 }, (_, index) => `method${index}() {}`).join("\n")}\n`;
const overwrite = async (content: string, old = OLD) => {
  await writeFile(`${world.folder}/a.ts`, old);
  await world.use(read, { file_path: "a.ts" });
  return world.use(write, { file_path: "a.ts", content });
};

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

describe("a text that stands for more than it holds", () => {
  it.each([
    "// ... rest of the code ...",
    "# ... existing code ...",
    "    # (remaining methods unchanged ...)",
    "(rest of methods ...)",
    "... existing imports ...",
    "/* … rest of file … */",
    "<!-- ... other sections ... -->",
    "{/* ... existing components ... */}",
    "-- ... remaining lines",
    "// other methods stay the same...",
  ])("K04 K05 %s is refused, and the file stays", async (line) => {
    const error = await failure(overwrite(`method0() {}\n${line}\n`));
    expect(error).toMatchObject({ code: "validation_failed", hint: expect.stringContaining("whole content") });
    const wish = { file_path: "a.ts", old_string: OLD.slice(0, 60), new_string: `${line}\n` };
    expect(await failure(world.use(edit, wish))).toMatchObject({ code: "validation_failed" });
    expect(await readFile(`${world.folder}/a.ts`, "utf8")).toBe(OLD);
  });

  it.each([
    'const message = "loading...";',
    'const note = "(rest of methods ...)";',
    "return value; // rest of methods ...",
    "def f(): ...",
    "...args",
    "// and so on ...",
    "The rest of the code is explained below ...",
    "// TODO: test the remaining methods",
  ])("K04 %s is a line like any other", async (line) => {
    await overwrite(`${line}\n`);
    expect(await readFile(`${world.folder}/a.ts`, "utf8")).toBe(`${line}\n`);
  });

  it("K04 nothing is refused where nothing can be lost: new files, longer texts, lines that were there before", async () => {
    const line = "// ... rest of the code ...";
    await world.use(write, { file_path: "guide.md", content: `${line}\n` });
    await overwrite(`${OLD}${line}\n`);
    await overwrite(`${line}\nshort\n`, `${line}\n${OLD}`);
    const wish = { file_path: "a.ts", old_string: "short", new_string: `# ... existing code ...\nmore\n` };
    await world.use(edit, wish);
  });
});
