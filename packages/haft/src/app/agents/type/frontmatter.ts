import { parse } from "yaml";

/** A Markdown file with its frontmatter. */
export interface Page {
  readonly head: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Reads the YAML frontmatter between two lines of dashes, and the text after it. @throws Error for frontmatter that is not valid YAML. */
export function readPage(text: string): Page {
  const clean = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const match = /^---[ \t]*\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\n|$)/.exec(clean);
  if (!match) return { head: {}, body: clean.trim() };
  const head: unknown = parse(match[1] ?? "", { maxAliasCount: 0, uniqueKeys: true }) ?? {};
  if (typeof head !== "object" || Array.isArray(head)) throw new Error("its head is no list of names and values");
  return { head: head as Page["head"], body: clean.slice(match[0].length).trim() };
}
