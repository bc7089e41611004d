import { readFileSync, statSync } from "node:fs";
import { isWithin } from "@haft/core/tool";
import type { NoticeListener } from "../notice.ts";
import { real } from "../workspace.ts";
import { importsIn } from "./imports.ts";
import { type InstructionPlaces, projectFiles, userFiles } from "./instruction-files.ts";

/** Most characters of all files together, and most levels of imports. */
const MOST_CHARS = 64_000;
const MOST_BYTES = 1_000_000;
const MOST_DEPTH = 5;

export interface ReadInstructions extends InstructionPlaces {
  /** A project that is not trusted gives no instructions: they would stand beside the user's. */
  readonly trusted: boolean;
  /** Whether the rules let this file be read without asking. */
  mayRead(path: string): Promise<boolean>;
  readonly onNotice: NoticeListener;
  /** Called for each file that counts; `isOwn`: it belongs to the project. */
  onRead?(path: string, isOwn: boolean, depth: number): void;
}

interface Page {
  readonly path: string;
  readonly text: string;
}

/** The instruction files of the user and the project, as a part of a system prompt; empty without any. */
export async function readInstructions(options: ReadInstructions): Promise<string> {
  const { root, trusted } = options;
  const own = projectFiles(options);
  const warn = (message: string, cure?: string): void =>
    options.onNotice({
      ...{ code: "instructions", severity: "warning", source: "instructions", message },
      ...(cure === undefined ? {} : { cure }),
    });
  if (!trusted && own.length > 0)
    warn(
      `${own.join(", ")}: not read, because the folder is not trusted.`,
      "haft trust enables its instructions and settings; --trust does so once.",
    );
  const pages: Page[] = [];
  const known = { paths: new Set<string>(), texts: new Set<string>() };

  async function add(file: string, within: string | undefined, depth: number): Promise<void> {
    const path = real(file);
    if (known.paths.has(path)) return;
    known.paths.add(path);
    if (within !== undefined && !isWithin(within, path))
      return warn(`${file}: not read, because it is outside ${within}.`);
    if (within !== undefined && !(await options.mayRead(path)))
      return warn(`${file}: not read, because the rules would ask first.`);
    const text = textOf(path);
    if (text === undefined) return warn(`${file}: not read, because it is not a text file or is too large.`);
    if (text.trim() === "" || known.texts.has(text)) return;
    known.texts.add(text);
    const imports = importsIn(text, path, options.home);
    if (depth >= MOST_DEPTH && imports.length > 0)
      warn(`${file}: its imports are not read: the limit is ${MOST_DEPTH} levels.`);
    // Imports come first: the text refers to them.
    else for (const one of imports) if (isFile(one.path)) await add(one.path, within, depth + 1);
    options.onRead?.(path, within !== undefined, depth);
    pages.push({ path: file, text: text.trim() });
  }

  for (const file of userFiles(options)) await add(file, undefined, 0);
  if (trusted) for (const file of own) await add(file, root, 0);
  return pages.length === 0 ? "" : textWith(bounded(pages, warn));
}

/** The nearest files come last and are kept first. */
function bounded(pages: readonly Page[], warn: (message: string, cure: string) => void): readonly Page[] {
  let left = MOST_CHARS;
  const kept: Page[] = [];
  for (const { path, text } of pages.toReversed()) {
    if (text.length > left)
      warn(
        `${path}: ${text.length - left} of its ${text.length} characters are cut: all instructions together may have ${MOST_CHARS}.`,
        "Shorten it, or move parts to files that the model reads when needed.",
      );
    if (left > 0) kept.unshift({ path, text: text.length > left ? `${text.slice(0, left)}\n[cut here]` : text });
    left = Math.max(0, left - text.length);
  }
  return kept;
}

const textWith = (pages: readonly Page[]): string =>
  [
    "The following files are instructions of the user and of the project. If they contradict each other, the later one wins. They do not override the rules.",
    ...pages.map(({ path, text }) => `--- ${path} ---\n${text}`),
  ].join("\n\n");

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

function textOf(path: string): string | undefined {
  try {
    if (!isFile(path) || statSync(path).size > MOST_BYTES) return undefined;
    const text = readFileSync(path, "utf8");
    return text.includes("\0") ? undefined : text.replace(/^\uFEFF/, "");
  } catch {
    return undefined;
  }
}
