import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHaft, type HaftOptions } from "haft";

/** A Haft in a folder of its own, where reading is allowed and writing is asked about. */
export async function frameworkHaft(options: HaftOptions = {}) {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "haft-framework-")));
  writeFileSync(join(cwd, "a.txt"), "alpha\n");
  const haft = await createHaft({ cwd, settings: false, stateDir: false, ...options });
  const small = haft.with({ tools: ["Read", "Write"] });
  return {
    cwd,
    haft: small,
    close: () => haft[Symbol.asyncDispose](),
    text: (name: string) => readFileSync(join(cwd, name), "utf8"),
  };
}

/** The two calls of the stories: one allowed, one asked about. */
export const storyCalls = (cwd: string) => [
  { id: "call_01", name: "Read", input: { file_path: join(cwd, "a.txt") } },
  { id: "call_02", name: "Write", input: { file_path: join(cwd, "b.txt"), content: "beta\n" } },
];
