import { basename, type Effect, type RunEffect, resolve } from "@haft/core/tool";

/** Judges a piece of a script as if it were all of it. Nothing: it cannot be read either. */
export type Judge = (piece: string, cwd: string) => readonly Effect[] | undefined;

/** Pieces that are judged; of what follows only the words are looked at. */
const MOST_JUDGED = 500;
/** Folders into which such a text may go that are followed. */
const MOST_FOLDERS = 8;

/**
 * What seems to be done in a text that cannot be read as a whole: bash runs a script line by line, so what stands before a mistake is
 * done, and what is too long for a proof is done as well. Nothing is proved by it. Rules that forbid or ask find there what they mean;
 * what allows the text has to allow all of it anyway.
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
 * What seems to be done in the texts that commands such as `eval`, `trap` or a shell that reads its input take for scripts. Such a text
 * stands in quotes or in a here-document, so quotes end a piece as well.
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
  // A subscript is computed wherever a name of a variable is taken, even in quotes.
  if (TAKES_NAMES.test(name) && words.some((word) => /\[.*[$`]/s.test(word))) return true;
  return SHELLS.test(name) && words.every((word) => /^[-+]/.test(word));
}

const QUOTES = /["'\\]/g;
/** What ends a command, or opens a place for one, wherever it stands. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's characters end a piece, too
const BETWEEN = /[\n;&|(){}`\u0000-\u0008\u000b-\u001f\u007f]+/;
const BEFORE_COMMANDS = /^(?:(?:if|then|elif|else|while|until|do|time|coproc|!)\s+)+/;

/** Where the text may go. Whether it does, and when, is not known. */
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
