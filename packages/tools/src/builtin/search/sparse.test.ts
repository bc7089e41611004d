import { open, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { patience } from "../../../../../test/support/patience.ts";
import { createWorld, failure, type World } from "../../../test/support/context.ts";
import { grep } from "./grep.ts";

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

/** A file that claims a size and holds nothing but its first words. */
async function sparse(name: string, bytes: number, words = ""): Promise<void> {
  const file = await open(`${world.folder}/${name}`, "w");
  await file.write(words);
  await file.truncate(bytes);
  await file.close();
}

const GIB = 1024 ** 3;

describe("files that are large and empty", () => {
  it("K10 are passed over where a folder is searched, however large they say they are", async () => {
    await sparse("image.raw", 5 * GIB);
    await sparse("with-a-head.raw", 5 * GIB, "a header\n");
    await writeFile(`${world.folder}/notes.txt`, "needle\n");
    const started = performance.now();
    const { text, output } = await world.use(grep, { pattern: "needle", output_mode: "content" });
    expect(text).toContain("notes.txt:1:needle");
    expect(output).toMatchObject({ total: 1, engine: "ripgrep" });
    expect(performance.now() - started).toBeLessThan(patience(5_000));
  });

  it("K10 J08 stop holding a call up as soon as it is cancelled, in a search of one by its name", async () => {
    await sparse("grown.log", 500 * GIB, "some text\n".repeat(20_000));
    const cancel = new AbortController();
    const started = performance.now();
    setTimeout(() => cancel.abort(new Error("enough")), 200);
    const search = world.use(grep, { pattern: "needle", path: "grown.log" }, { signal: cancel.signal });
    await expect(search).rejects.toThrow("enough");
    expect(performance.now() - started).toBeLessThan(patience(5_000));
  });

  it("K10 J01 are refused by name as what they are, at once: no match would be an answer", async () => {
    await sparse("image.raw", 500 * GIB);
    await sparse("with-a-head.raw", 5 * GIB, "needle\n");
    for (const path of ["image.raw", "with-a-head.raw"]) {
      const error = await failure(world.use(grep, { pattern: "needle", path }));
      expect(error).toMatchObject({ code: "binary_file", message: expect.stringContaining(path) });
      expect(error.hint).toContain("grep -a");
    }
  });
});
