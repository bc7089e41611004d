import { fail } from "@haft/core/tool";

/** The words of a command line: split at spaces, with quotes. No shell reads it, so its operators are refused. */
export function commandWords(command: string | readonly string[]): readonly string[] {
  if (typeof command !== "string") return command;
  const words: string[] = [];
  const pattern = /\s+|((?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])+)/gy;
  for (let match = pattern.exec(command); match !== null; match = pattern.exec(command)) {
    if (match[1] === undefined) continue;
    if (/^(?:[|&;<>]+|\d*>.*)$/.test(match[1]) || /[|;&`]|\$\(/.test(unquotedPart(match[1])))
      return fail(
        "validation_failed",
        `"${command}" is not run in a shell.`,
        "Write one program with its arguments, or your own script.",
      );
    words.push(plain(match[1]));
  }
  return words;
}

const unquotedPart = (word: string): string => word.replaceAll(/"(?:[^"\\]|\\.)*"|'[^']*'|\\./g, "");

const plain = (word: string): string =>
  word.replaceAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g, (_, double?: string, single?: string, one?: string) =>
    double !== undefined ? double.replaceAll(/\\(["\\$`])/g, "$1") : (single ?? one ?? ""),
  );
