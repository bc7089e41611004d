import type { TextField } from "./text-field.ts";

/** One proposal: the text to insert, and what it is. */
export interface Proposal {
  readonly text: string;
  readonly about?: string;
}

/** The word at the cursor that can be completed: a command at the start of the text, its argument, or a file after an @. */
export interface Completable {
  readonly kind: "command" | "argument" | "file";
  /** The command of an argument, without the slash. */
  readonly command?: string;
  readonly from: number;
  readonly word: string;
}

/** Most proposals that are shown. */
export const MOST_PROPOSALS = 8;

export function completableAt({ text, cursor }: TextField): Completable | undefined {
  const before = text.slice(Math.max(0, cursor - 1000), cursor);
  const command = /^\/([\w-]*)$/.exec(before);
  if (command && cursor <= 1000) return { kind: "command", from: 0, word: command[1] ?? "" };
  const argument = /^\/([\w-]+) (\S*)$/.exec(before);
  if (argument && cursor <= 1000) {
    const [, of = "", word = ""] = argument;
    return { kind: "argument", command: of, from: cursor - word.length, word };
  }
  const file = /(?:^|\s)@([^\s@]*)$/.exec(before);
  return file ? { kind: "file", from: cursor - (file[1] ?? "").length - 1, word: file[1] ?? "" } : undefined;
}

/** The best proposals for a word: those that begin with it, then those that contain its letters in order. */
export function matching(word: string, proposals: readonly Proposal[]): readonly Proposal[] {
  const wanted = word.toLowerCase();
  const ranked = proposals
    .map((proposal) => ({ proposal, rank: rankOf(wanted, proposal.text.toLowerCase()) }))
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.rank - b.rank || a.proposal.text.length - b.proposal.text.length);
  return ranked.slice(0, MOST_PROPOSALS).map(({ proposal }) => proposal);
}

function rankOf(wanted: string, text: string): number {
  if (text.startsWith(wanted)) return 0;
  if (text.slice(text.lastIndexOf("/") + 1).startsWith(wanted)) return 1;
  if (text.includes(wanted)) return 2;
  let at = 0;
  for (const letter of wanted) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return Number.POSITIVE_INFINITY;
  }
  return 3;
}

/** The field with a proposal in place of the word. */
export function completed({ text, cursor }: TextField, { kind, from }: Completable, proposal: Proposal): TextField {
  const mark = { command: "/", argument: "", file: "@" }[kind];
  const word = `${mark}${proposal.text}${proposal.text.endsWith("/") ? "" : " "}`;
  return { text: text.slice(0, from) + word + text.slice(cursor).replace(/^ /, ""), cursor: from + word.length };
}
