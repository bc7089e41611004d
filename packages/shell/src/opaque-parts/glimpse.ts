import { basename, type Effect, type RunEffect, resolve } from "@haft/core/tool";

/** Judges a piece of a script as if it were all of it. Returns nothing if it cannot be read either. */
type Judge = (piece: string, cwd: string) => readonly Effect[] | undefined;

/** How many pieces are judged. Only the words of later pieces are checked. */
const MOST_JUDGED = 500;
/** How many folders of such a text are followed. */
const MOST_FOLDERS = 8;

/**
 * The likely effects of a text that cannot be read as a whole. Bash runs a script line by line, so it runs the lines before a mistake. It
 * also runs a text that is too long for a proof. This proves nothing. Rules that forbid or ask find their matches there; a rule that allows
 * the text has to allow all of it anyway.
 */
export function glimpse(script: string, cwd: string, judge: Judge): readonly Effect[] {
  const found = new Map<string, Effect>();
  const see = (effects: readonly Effect[]): void => {
    for (const effect of effects) {
      if (effect.do === "unknown" || (effect.do === "run" && effect.argv[0] === ":")) continue;
      const doubted = effect.do === "run" ? ({ ...effect, opaque: true } satisfies RunEffect) : effect;
      found.set(JSON.stringify(doubted), doubted);
    }
  };
  const pieces = piecesOf(script);
  const folders = foldersOf(pieces, cwd);
  const judged = MOST_JUDGED / folders.length;
  for (const [index, piece] of pieces.entries()) {
    const plain = piece.replaceAll(QUOTES, "");
    if (index >= judged) see([wordsOf(plain, cwd)]);
    else for (const folder of folders) see(judge(piece, folder) ?? judge(plain, folder) ?? [wordsOf(plain, cwd)]);
  }
  return [...found.values()];
}

/**
 * The likely effects of texts that commands run as scripts: `eval`, `trap`, or a shell that reads its input. Such a text is in quotes or in
 * a here-document, so quotes end a piece as well.
 */
export function glimpseQuoted(
  script: string,
  effects: readonly Effect[],
  cwd: string,
  judge: Judge,
): readonly Effect[] {
  if (!effects.some((effect) => effect.do === "run" && takesText(effect))) return [];
  return glimpse(script.replaceAll(/["']/g, "\n").replaceAll(TEXT_TAKER, "\n"), cwd, judge);
}

const TEXT_TAKER = /(^|[\s;&|(){}`])(?:eval|trap|alias)(?=\s)/g;
const TAKES_NAMES = /^(?:test|\[|let|printf|read|unset|declare|typeset|local|export|readonly|wait|mapfile|readarray)$/;
const SHELLS = /^(?:ba|da|a|z|k|mk|rba|fi|tc|c)?sh$/;

function takesText({ argv, opaque }: RunEffect): boolean {
  if (!opaque) return false;
  const [program = "", ...words] = argv;
  const name = basename(program);
  if (/^(eval|trap|alias)$/.test(name)) return true;
  // Wherever the shell takes a variable name, it computes a subscript, even in quotes.
  if (TAKES_NAMES.test(name) && words.some((word) => /\[.*[$`]/s.test(word))) return true;
  return SHELLS.test(name) && words.every((word) => /^[-+]/.test(word));
}

const QUOTES = /["'\\]/g;
/** Characters that end a command or begin a new one, anywhere in the text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's characters end a piece, too
const BETWEEN = /[\n;&|(){}`\u0000-\u0008\u000b-\u001f\u007f]+/;
const BEFORE_COMMANDS = /^(?:(?:if|then|elif|else|while|until|do|time|coproc|!)\s+)+/;

/** The folders into which the text may go. Whether and when it does is not known. */
function foldersOf(pieces: readonly string[], cwd: string): readonly string[] {
  const folders = [cwd];
  for (const piece of pieces) {
    const target = /^(?:cd|pushd)\s+(?:-\w+\s+)*(\S+)$/.exec(piece.replaceAll(QUOTES, ""))?.[1];
    if (target !== undefined && folders.length < MOST_FOLDERS) folders.push(resolve(folders.at(-1)!, target));
  }
  return folders;
}

function piecesOf(script: string): readonly string[] {
  const pieces = script
    .replaceAll("\\\n", "")
    .split(BETWEEN)
    .map((piece) => piece.trim().replace(BEFORE_COMMANDS, "").replace(/\$$/, ""));
  return [...new Set(pieces)].filter((piece) => piece !== "" && !piece.startsWith("#"));
}

function wordsOf(piece: string, cwd: string): RunEffect {
  const words = piece.split(/[\s<>]+/).filter((word) => word !== "");
  const first = words.findIndex((word) => !/^\w+\+?=/.test(word));
  return { do: "run", basis: "proved", argv: words.slice(Math.max(first, 0)), text: piece, cwd, opaque: true };
}
