import { open, readdir } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { fail, type Skill } from "@haft/core/tool";
import { readSkillPage } from "../frontmatter.ts";

/** Most bytes of a skill's file that a model gets, most files of its folder that are listed, and how deep. */
const MOST_BYTES = 400_000;
const MOST_FILES = 50;
const MOST_DEPTH = 4;

/** The text below the frontmatter. A longer file is cut, with a note in the text. */
export async function skillText({ name, file, folder, answers = {} }: Skill): Promise<string> {
  const handle = await open(file, "r").catch(() =>
    fail("file_not_found", `The skill ${name} is gone: ${file} cannot be read.`, "Go on without it."),
  );
  try {
    const { size } = await handle.stat();
    const bytes = Buffer.alloc(Math.min(size, MOST_BYTES));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    const { body } = readSkillPage(file, bytes.toString("utf8", 0, bytesRead));
    const text = body
      .replaceAll(/\$\{(?:CLAUDE_SKILL_DIR|HAFT_SKILL_DIR)\}/g, () => folder)
      .replaceAll(/\$\{user_config\.([A-Za-z0-9_.-]+)\}/g, (all, key: string) =>
        Object.hasOwn(answers, key) ? answers[key]! : all,
      );
    return size > MOST_BYTES ? `${text}\n\n[The file has ${size} bytes; the rest is in ${file}]` : text;
  } finally {
    await handle.close();
  }
}

/** The other files of a skill's folder, relative to it. Links are not followed. A command is a file alone and has none. */
export async function skillFiles({ file, folder }: Skill): Promise<readonly string[]> {
  if (!/^skill\.md$/i.test(basename(file))) return [];
  const found: string[] = [];
  async function walk(place: string, depth: number): Promise<void> {
    const entries = await readdir(place, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (found.length >= MOST_FILES) return;
      const path = join(place, entry.name);
      if (entry.isDirectory() && depth < MOST_DEPTH) await walk(path, depth + 1);
      else if (entry.isFile() && path !== file) found.push(relative(dirname(file), path));
    }
  }
  await walk(folder, 1);
  return found;
}
