import { parse as parseToml } from "smol-toml";
import { parse } from "yaml";

/** A Markdown file with its frontmatter. */
export interface Page {
  readonly head: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Reads the YAML frontmatter between two lines of dashes, and the text after it. @throws Error for frontmatter that is not valid YAML. */
export function readPage(text: string): Page {
  const { head, body } = splitPage(text);
  if (head === undefined) return { head: {}, body };
  const read: unknown = parse(head, { maxAliasCount: 0, uniqueKeys: true }) ?? {};
  if (typeof read !== "object" || Array.isArray(read))
    throw new Error("its frontmatter is not a list of keys and values");
  return { head: read as Page["head"], body };
}

/**
 * The same for a file that others wrote for other programs: frontmatter that is not valid YAML is read line by line, as
 * `name: value`, and `problem` says why.
 */
export function readPageLeniently(text: string): Page & { readonly problem?: string } {
  try {
    return readPage(text);
  } catch (thrown) {
    const { head = "", body } = splitPage(text);
    const lines = head.split("\n").flatMap((line) => {
      const match = /^([A-Za-z][\w.-]*)[ \t]*:[ \t]*(.*)$/.exec(line);
      return match?.[1] === undefined ? [] : [[match[1], unquoted(match[2] ?? "")] as const];
    });
    const problem = thrown instanceof Error ? (thrown.message.split("\n")[0] ?? "") : String(thrown);
    return { head: Object.fromEntries(lines), body, problem };
  }
}

/** Whether a file is a command of Gemini CLI: TOML with `prompt` and `description`. */
export const isTomlFile = (file: string): boolean => file.endsWith(".toml");

/** Reads a skill or command by the format of its file. A TOML file that cannot be read has no text, and `problem` says why. */
export function readSkillPage(file: string, text: string): Page & { readonly problem?: string } {
  if (!isTomlFile(file)) return readPageLeniently(text);
  try {
    const { prompt, description } = parseToml(text.replace(/^\uFEFF/, ""));
    if (typeof prompt !== "string" || prompt.trim() === "") return { head: {}, body: "", problem: "it has no prompt" };
    return { head: typeof description === "string" ? { description } : {}, body: prompt.trim() };
  } catch (thrown) {
    return { head: {}, body: "", problem: `it is not valid TOML: ${String((thrown as Error).message).split("\n")[0]}` };
  }
}

function splitPage(text: string): { readonly head?: string; readonly body: string } {
  const clean = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const match = /^---[ \t]*\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\n|$)/.exec(clean);
  return match ? { head: match[1] ?? "", body: clean.slice(match[0].length).trim() } : { body: clean.trim() };
}

const unquoted = (text: string): string => text.trim().replace(/^(["'])(.*)\1$/, "$2");
