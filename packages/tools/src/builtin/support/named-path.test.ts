import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import type { Effect } from "@haft/core/tool";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createWorld, type World } from "../../../test/support/context.ts";
import { read } from "../files/read.ts";
import { write } from "../files/write.ts";
import { builtinTools } from "../index.ts";
import { glob } from "../search/glob.ts";

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

/** The other parts that a file tool needs. */
const rest = { old_string: "a", new_string: "b", content: "c", pattern: "d", cell_id: "e", new_source: "f" };
const fileTools = (await builtinTools()).filter(({ name }) =>
  ["Read", "Write", "Edit", "NotebookEdit", "Ls", "Glob", "Grep", "ReadManyFiles"].includes(name),
);

describe("a path that begins with ~", () => {
  it.each(fileTools.map((tool) => [tool.name, tool] as const))(
    "G13 K01 %s means the user's home by it, in its effects and for hooks alike",
    async (_, tool) => {
      const ctx = { ...world.effectContext, home: `${world.folder}/home` };
      const named = "~/deep/file.txt";
      const input = { file_path: named, notebook_path: named, path: named, paths: [named], ...rest } as never;
      const effects = (await tool.effects(input, ctx)) as readonly Effect[];
      const wanted = `${ctx.home}/deep/file.txt`;
      expect(effects[0]).toMatchObject({ path: wanted });
      expect(Object.values(tool.observe?.(input, ctx) ?? {}).flat()).toContain(wanted);
    },
  );

  it("K01 K04 K09 is read, written and searched there", async () => {
    await world.use(write, { file_path: "~/new.txt", content: "hello\n" });
    expect(await readFile(`${world.folder}/new.txt`, "utf8")).toBe("hello\n");
    expect(existsSync(`${world.folder}/~`)).toBe(false);
    expect((await world.use(read, { file_path: "~/new.txt" })).output.text).toContain("hello");
    expect((await world.use(glob, { pattern: "~/*.txt" })).output.files).toEqual(["new.txt"]);
  });

  it("K01 a folder that is really called ~ is named ./~", async () => {
    await mkdir(`${world.folder}/~`);
    await writeFile(`${world.folder}/~/a.txt`, "odd\n");
    expect((await world.use(read, { file_path: "./~/a.txt" })).output.text).toContain("odd");
    expect((await world.use(read, { file_path: "~/~/a.txt" })).output.text).toContain("odd");
  });
});
