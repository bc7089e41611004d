import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EditablePart } from "./editable.ts";

/** The edited text, or the reason why there is none. */
export type Edited = { readonly text: string } | { readonly why: string };

/** Opens a text in the person's editor. */
export type OpenEditor = (part: Pick<EditablePart, "text" | "suffix">) => Promise<Edited>;

/**
 * Opens a text in `$VISUAL`, else `$EDITOR`, else `vi`, in a private folder that is removed afterwards. If the editor
 * fails or leaves the text unchanged, nothing has changed.
 */
export async function openEditor({ text, suffix }: Pick<EditablePart, "text" | "suffix">): Promise<Edited> {
  const editor = process.env.VISUAL || process.env.EDITOR || "vi";
  // mkdtemp makes the folder accessible to its owner only (0700).
  const folder = await mkdtemp(join(tmpdir(), "haft-edit-"));
  try {
    const file = join(folder, `proposed${/^\.[\w-]{1,16}$/.test(suffix) ? suffix : ".txt"}`);
    await writeFile(file, text, { mode: 0o600 });
    const failed = await run(editor, file);
    if (failed !== undefined) return { why: failed };
    const changed = await readFile(file, "utf8");
    return changed === text ? { why: "The text was not changed." } : { text: changed };
  } catch (thrown) {
    return { why: `The editor's result cannot be read: ${(thrown as Error).message}.` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The reason why the editor failed; `undefined` if it did not. As for git, the variable may include arguments. */
function run(editor: string, file: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", `${editor} "$1"`, "haft", file], { stdio: "inherit" });
    child.once("error", ({ message }) => resolve(`The editor did not start: ${message}. Set VISUAL or EDITOR.`));
    child.once("close", (code, signal) => {
      if (code === 0) return resolve(undefined);
      const how = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
      resolve(`The editor (${editor}) ${how}.${code === 127 ? " Set VISUAL or EDITOR." : ""}`);
    });
  });
}
