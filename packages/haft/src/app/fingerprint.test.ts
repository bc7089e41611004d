import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contentsText } from "@haft/core/tool";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createHaft } from "./create-haft.ts";

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-seal-")));
  for (const name of ["work/a", "work/b", "home"]) mkdirSync(join(base, name), { recursive: true });
  writeFileSync(join(base, "work/a/who"), "a");
  writeFileSync(join(base, "work/b/who"), "b");
  symlinkSync("a", join(base, "work/link"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** Makes a call about which a person is asked; meanwhile something happens. */
async function whileAsking(input: object, meanwhile: () => void, tool = "Bash") {
  await using haft = await createHaft({
    cwd: join(base, "work"),
    home: join(base, "home"),
    stateDir: join(base, "state"),
    env: {},
    rules: { ask: [tool] },
    ask: async () => {
      meanwhile();
      return { behavior: "allow" };
    },
  });
  return await haft.call(tool, input);
}

describe("between the decision and the start", () => {
  const command = { command: "cat who", workdir: "link" };

  it("G15 nothing has changed: it runs", async () => {
    expect(contentsText((await whileAsking(command, () => undefined)).content)).toBe("a");
  });

  it("G15 a link to the folder was swapped: nothing runs", async () => {
    const result = await whileAsking(command, () => {
      rmSync(join(base, "work/link"));
      symlinkSync("b", join(base, "work/link"));
    });
    expect(result.error).toMatchObject({ code: "conflict", message: expect.stringContaining("Nothing was run") });
    expect(contentsText(result.content)).not.toMatch(/^[ab]$/);
  });

  it("G15 another folder has taken the place: nothing runs", async () => {
    const result = await whileAsking({ command: "cd a && cat who" }, () => {
      renameSync(join(base, "work/a"), join(base, "work/old"));
      renameSync(join(base, "work/b"), join(base, "work/a"));
    });
    expect(result.error?.code).toBe("conflict");
  });

  it.each([
    ["Read", { file_path: "link/who" }],
    ["Edit", { file_path: "link/who", old_string: "b", new_string: "c" }],
    ["Write", { file_path: "link/new", content: "c" }],
    ["Grep", { pattern: "b", path: "link", output_mode: "content" }],
  ])("G15 %s says that the path leads elsewhere by now, and does nothing there", async (tool, input) => {
    const swapped = () => {
      rmSync(join(base, "work/link"));
      symlinkSync("b", join(base, "work/link"));
    };
    const { error, content } = await whileAsking(input, swapped, tool);
    expect(error).toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/leads to .*\/work\/b.* led elsewhere when the call was decided/),
      hint: expect.stringContaining("call again"),
    });
    expect(contentsText(content)).not.toContain("effects");
    expect(readdirSync(join(base, "work/b")).map((name) => readFileSync(join(base, "work/b", name), "utf8"))).toEqual([
      "b",
    ]);
  });
});
