import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A fenced block of a page, with what hidden comments around it say of it. */
export interface DocBlock {
  readonly page: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** Why nothing checks it. */
  readonly skip?: string;
  /** It is data, and no settings. */
  readonly isData: boolean;
  /** It goes on where the page's last block of code ended. */
  readonly goesOn: boolean;
  /** Code before it and after it that the reader does not see. With `after`, the block is run and not only compiled. */
  readonly given: string;
  readonly after?: string;
}

/** Languages of blocks that are compiled. */
export const CODE = ["ts", "js"];

/** Pages whose every block is held to be right. */
export const docPages = (): string[] => [
  "README.md",
  "THREAT_MODEL.md",
  "AGENTS.md",
  "packages/haft/README.md",
  ...readdirSync("docs", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name))
    .toSorted(),
];

/**
 * The blocks of a page. A comment right before or after a block, hidden from readers, says what the block needs:
 *
 * - `<!-- block: skip REASON -->`: nothing checks it.
 * - `<!-- block: data -->`: JSON that is no settings.
 * - `<!-- block: goes on -->`: it goes on where the page's last block of code ended.
 * - `<!-- block: given CODE -->`: code before it.
 * - `<!-- block: then CODE -->` after it: code behind it; both are run.
 */
export function blocksOf(page: string, text = readFileSync(page, "utf8")): DocBlock[] {
  const found =
    /((?:^<!-- block: (?:(?!-->)[\s\S])*-->\n)*)^( *)```(\S*)[^\n]*\n([\s\S]*?)^\2```[^\n]*\n?((?:^<!-- block: then\b(?:(?!-->)[\s\S])*-->\n?)?)/gm;
  return [...text.matchAll(found)].map((match) => {
    const [, before = "", indent = "", language = "", body = "", behind = ""] = match;
    const words = [...`${before}${behind}`.matchAll(/<!-- block: (skip|data|goes on|given|then)\b([\s\S]*?)-->/g)];
    const said = (key: string) => words.find(([, one]) => one === key)?.[2]?.trim();
    const [skip, after] = [said("skip"), said("then")];
    return {
      page,
      line: text.slice(0, match.index + before.length).split("\n").length,
      language,
      text: body.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      isData: said("data") !== undefined,
      goesOn: said("goes on") !== undefined,
      given: said("given") ?? "",
      ...(skip === undefined ? {} : { skip }),
      ...(after === undefined ? {} : { after }),
    };
  });
}

/** The blocks of code as modules: the name of each, its text, and whether it is to be run. */
export function modulesOf(blocks: readonly DocBlock[]): { name: string; text: string; runs: boolean }[] {
  const modules: { name: string; text: string; runs: boolean }[] = [];
  for (const { page, line, text, given, after, goesOn, skip } of blocks) {
    if (skip !== undefined) continue;
    const code = `${given}\n${text}\n${after ?? ""}\n`;
    const last = modules.at(-1);
    if (goesOn && last) {
      last.text += code;
      last.runs ||= after !== undefined;
    } else
      modules.push({ name: `${page.replaceAll(/[^\w]/g, "_")}_${line}`, text: `${code}`, runs: after !== undefined });
  }
  return modules.map((one) => ({ ...one, text: `${one.text}export {};\n` }));
}
