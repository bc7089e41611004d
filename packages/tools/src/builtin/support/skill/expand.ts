import { contentsText, type Result, type Skill, type Skills } from "@haft/core/tool";
import { bracePieces, type Piece, withBraceArguments } from "./brace-pieces.ts";

/** The way in which the text is written. */
type Written = Pick<Skill, "isToml">;

/** Most commands and files of one skill, and most characters of the output of each. */
const MOST_COMMANDS = 20;
const MOST_OUTPUT = 30_000;

/** Inline `` !`command` `` at the start of a line or after a space, and blocks that begin with three backticks and "!". */
const COMMAND = /^```!\s*\n([\s\S]*?)\n```[ \t]*$|(?<=^|[ \t(])!`([^`\n]+)`/gm;

/** Splits a text at its commands. Arguments cannot add commands, because they are put in after this. */
function piecesOf(body: string, { isToml }: Written = {}): readonly Piece[] {
  if (isToml) return bracePieces(body);
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of body.matchAll(COMMAND)) {
    if (match.index > from) pieces.push({ text: body.slice(from, match.index) });
    pieces.push({ command: (match[1] ?? match[2] ?? "").trim() });
    from = match.index + match[0].length;
  }
  if (from < body.length) pieces.push({ text: body.slice(from) });
  return pieces;
}

/** The commands that a skill's text runs when it is loaded. */
export const commandsIn = (body: string, written: Written): readonly string[] =>
  piecesOf(body, written).flatMap((piece) => ("command" in piece ? [piece.command] : []));

/** The files that a skill's text reads when it is loaded. */
export const filesIn = (body: string, written: Written): readonly string[] =>
  piecesOf(body, written).flatMap((piece) => ("file" in piece ? [piece.file] : []));

/**
 * Puts arguments into a text: `$ARGUMENTS`, `$0`, `$ARGUMENTS[0]`, and `$name` for named ones. `first`: the number of the
 * first argument in `$0`.
 */
function withArguments(text: string, args: string, names: readonly string[] = [], first = 0): string {
  const words = [...args.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");
  return text.replaceAll(
    /\$ARGUMENTS\[(\d+)\]|\$ARGUMENTS\b|\$(\d{1,2})(?!\d)|\$([A-Za-z_][\w-]*)/g,
    (whole, at: string | undefined, short: string | undefined, name: string | undefined) => {
      if (at !== undefined || short !== undefined)
        return words[at === undefined ? Number(short) - first : Number(at)] ?? "";
      if (name === undefined) return args;
      const place = names.indexOf(name);
      return place < 0 ? whole : (words[place] ?? "");
    },
  );
}

/** Runs a command or reads a file of a skill as a call of its own. */
type RunPiece = (tool: "Bash" | "ReadManyFiles", input: object) => Promise<Result>;

/**
 * The text of a skill for a model: its arguments put in, its commands and files replaced by their output, and the files beside it.
 * Each is a call through the whole pipeline; one that is refused or fails leaves a note in its place.
 */
export async function expandSkill(skills: Skills, name: string, args: string, run: RunPiece): Promise<string> {
  const skill = skills.find(name);
  const body = await skills.text(name);
  const isCommand = skill?.isCommand === true;
  const files = isCommand ? [] : await skills.files(name);
  const fill = (text: string, inCommand = false) =>
    skill?.isToml
      ? withBraceArguments(text, args, inCommand)
      : withArguments(text, args, skill?.args, isCommand ? 1 : 0);
  const parts: string[] = [];
  let count = 0;
  for (const piece of piecesOf(body, skill)) {
    if ("text" in piece) parts.push(fill(piece.text));
    else if (++count > MOST_COMMANDS) parts.push(`[not run: a skill runs at most ${MOST_COMMANDS} commands]`);
    else if ("file" in piece) parts.push(outputOf(await run("ReadManyFiles", { paths: [piece.file] })));
    else
      parts.push(
        outputOf(await run("Bash", { command: fill(piece.command, true), description: `For the skill ${name}` })),
      );
  }
  const text = parts.join("");
  const takesArguments = fill(body) !== body;
  return [
    ...(isCommand ? [] : [`Skill ${name}. Its folder: ${skill?.folder ?? ""}`, ""]),
    text.trim(),
    ...(args !== "" && !takesArguments ? ["", `Arguments: ${args}`] : []),
    ...(files.length > 0 ? ["", "Files in its folder, to read when needed:", ...files] : []),
  ].join("\n");
}

function outputOf({ content, error }: Result): string {
  const text = contentsText(content).trimEnd();
  const shown = text.length > MOST_OUTPUT ? `${text.slice(0, MOST_OUTPUT)}\n[the rest is left out]` : text;
  return error ? `[this command did not run: ${shown}]` : shown;
}
