import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import { expandHome } from "../workspace.ts";

/** A file that a text imports. */
export interface Import {
  /** As written, with its `@`. */
  readonly text: string;
  /** Absolute. */
  readonly path: string;
}

/** The `@path` imports of a Markdown file. Code blocks and code spans import nothing. */
export function importsIn(markdown: string, file: string, home = homedir()): readonly Import[] {
  const prose = markdown.replace(/^(`{3,}|~{3,})[\s\S]*?(?:^\1|(?![\s\S]))/gm, "").replace(/`[^`\n]*`/g, "");
  const found = [...prose.matchAll(/(?<=^|\s)@((?:~\/|\.{1,2}\/|\/)?[\w.-][\w./-]*)/g)];
  const paths = found.map(([, path = ""]) => path.replace(/[.,:;]+$/, "")).filter((path) => /[./]/.test(path));
  return [...new Set(paths)].map((path) => ({
    text: `@${path}`,
    path: resolve(dirname(file), expandHome(path, home)),
  }));
}
