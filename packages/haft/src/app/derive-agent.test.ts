import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contentsText } from "@haft/core/tool";
import { afterEach, describe, expect, it } from "vitest";
import { createHaft } from "./create-haft.ts";
import type { Haft, HaftOptions } from "./haft.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function fresh(ask?: HaftOptions["ask"]): Promise<Haft> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-narrow-")));
  folders.push(base);
  for (const name of ["work", "home"]) mkdirSync(join(base, name));
  const home = join(base, "home");
  return createHaft({
    // The default state folder is private, but not the results in it.
    ...{ cwd: join(base, "work"), home, stateDir: join(home, ".local/state/haft"), env: {} },
    settings: false,
    rules: { allow: ["Bash"] },
    ...(ask ? { ask } : {}),
  });
}

/** Makes a result that is too long for the model, and gives the file in which the whole of it is kept. */
async function spilledBy(haft: Haft): Promise<string> {
  const { spilled } = await haft.call("Bash", { command: "seq 1 60000" });
  return spilled!.path;
}

const decisionOf = async (haft: Haft, path: string) =>
  (await haft.explain("Read", { file_path: path })).decision?.decision;

describe("a Haft for somebody else", () => {
  it("H11 reads the kept results of its own calls unasked, and none of who made it, however often one is made by another", async () => {
    await using haft = await fresh();
    const child = haft.with({ agent: { id: "child" }, apart: true });
    const grandchild = child.with({ agent: { id: "grandchild" }, apart: true });
    const paths: string[] = [];
    for (const maker of [haft, child, grandchild]) paths.push(await spilledBy(maker));
    const decisions = (reader: Haft) => Promise.all(paths.map((path) => decisionOf(reader, path)));
    expect(await decisions(haft)).toEqual(["allow", "allow", "allow"]);
    expect(await decisions(child)).toEqual(["ask", "allow", "allow"]);
    expect(await decisions(grandchild)).toEqual(["ask", "ask", "allow"]);
    const found = await haft.call("Grep", { pattern: "^60000$", path: paths[0], output_mode: "content" });
    expect(contentsText(found.content)).toContain("60000");
    expect(await decisionOf(haft, join(paths[0]!, "../../log.jsonl"))).toBe("ask");
  });

  it("F14 is granted nothing that was granted to who made it, before or after", async () => {
    await using haft = await fresh(async ({ suggestions: [first] }) => ({
      behavior: "allow",
      ...(first ? { remember: first } : {}),
    }));
    const write = (file: string) => ({ file_path: file, content: "x" });
    const decided = async (who: Haft, file: string) => (await who.explain("Write", write(file))).decision?.decision;
    expect((await haft.call("Write", write("a.txt"))).error).toBeUndefined();
    const child = haft.with({ agent: { id: "child" }, apart: true });
    expect((await haft.call("Write", write("b.txt"))).error).toBeUndefined();
    expect([await decided(haft, "a.txt"), await decided(haft, "b.txt")]).toEqual(["allow", "allow"]);
    expect([await decided(child, "a.txt"), await decided(child, "b.txt")]).toEqual(["ask", "ask"]);
  });
});
