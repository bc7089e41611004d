import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EditablePart } from "./editable.ts";

/** The edited text, or the reason why there is none. */
export type Edited = { readonly text: string } | { readonly why: string };

/** Opens a text in the person's editor. */
export type OpenEditor = (part: Pick<EditablePart, "text" | "suffix">) => Promise<Edited>;

/** A text in a file that its owner alone can read. */
export interface ProposedFile extends AsyncDisposable {
  readonly path: string;
  read(): Promise<string>;
}

/** Writes a text into a private folder, which is removed at the end. */
export async function proposedFile({ text, suffix }: Pick<EditablePart, "text" | "suffix">): Promise<ProposedFile> {
  // mkdtemp makes the folder accessible to its owner only (0700).
  const folder = await mkdtemp(join(tmpdir(), "haft-edit-"));
  const path = join(folder, `proposed${/^\.[\w-]{1,16}$/.test(suffix) ? suffix : ".txt"}`);
  const remove = () => rm(folder, { recursive: true, force: true });
  await writeFile(path, text, { mode: 0o600 }).catch(async (thrown) => {
    await remove();
    throw thrown;
  });
  return { path, read: () => readFile(path, "utf8"), [Symbol.asyncDispose]: remove };
}

/** The changed text, or the reason why there is none. */
export const changedText = (changed: string, text: string): Edited =>
  changed === text ? { why: "The text was not changed." } : { text: changed };

/** The reason that a file with the person's text cannot be read. */
export const unreadable = (thrown: unknown) => ({
  why: `The editor's result cannot be read: ${(thrown as Error).message}.`,
});

/**
 * Opens a text in `$VISUAL`, else `$EDITOR`, else `vi`. If the editor fails or leaves the text unchanged, nothing has
 * changed.
 */
export async function openEditor(part: Pick<EditablePart, "text" | "suffix">): Promise<Edited> {
  const editor = process.env.VISUAL || process.env.EDITOR || "vi";
  try {
    await using file = await proposedFile(part);
    const failed = await run(editor, file.path);
    return failed === undefined ? changedText(await file.read(), part.text) : { why: failed };
  } catch (thrown) {
    return unreadable(thrown);
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
