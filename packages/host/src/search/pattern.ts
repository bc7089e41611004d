import { fail } from "@haft/core/tool";

/** POSIX classes as the inside of a JavaScript class. They are ASCII only, as in ripgrep. */
const posixClasses: Readonly<Record<string, string>> = {
  alnum: "A-Za-z0-9",
  alpha: "A-Za-z",
  ascii: "\\x00-\\x7f",
  blank: " \\t",
  cntrl: "\\x00-\\x1f\\x7f",
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\/:-@\\[-`{-~",
  space: "\\t\\n\\v\\f\\r ",
  upper: "A-Z",
  word: "\\w",
  xdigit: "0-9A-Fa-f",
};

/**
 * Converts a pattern in ripgrep's syntax to a JavaScript expression. Refuses what ripgrep refuses (look-around,
 * backreferences), so that a search means the same with either engine.
 */
export function toRegExp(pattern: string, options: { readonly ignoreCase?: boolean; readonly multiline?: boolean }) {
  refuseForeign(pattern);
  const inline = /^\(\?([ims]+)\)/.exec(pattern);
  const flags = new Set(["g", ...(options.multiline ? ["m", "s"] : []), ...(inline?.[1] ?? "")]);
  if (options.ignoreCase) flags.add("i");
  const source = pattern
    .slice(inline?.[0].length ?? 0)
    .replaceAll("(?P<", "(?<")
    .replaceAll("\\A", "^")
    .replaceAll("\\z", "$")
    .replace(/\[:(\^?)(\w+):\]/g, (whole, negated: string, name: string) =>
      negated === "" ? (posixClasses[name] ?? whole) : whole,
    );
  const letters = [...flags].join("");
  try {
    return new RegExp(source, `${letters}u`);
  } catch {
    return compile(source, letters, pattern);
  }
}

/** Without the strict mode, in which JavaScript refuses escapes that ripgrep allows, such as `\-` or `\"`. */
function compile(source: string, flags: string, pattern: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (thrown) {
    return fail(
      "invalid_input",
      `The pattern is not a regular expression: ${pattern}\n${thrown instanceof Error ? thrown.message : ""}`.trim(),
      "Correct the pattern; to match special characters literally, put a backslash before each.",
    );
  }
}

function refuseForeign(pattern: string): void {
  const plain = pattern.replace(/\\\\/g, "");
  if (/\(\?<?[=!]/.test(plain) || /\\[1-9]/.test(plain))
    fail(
      "invalid_input",
      "The pattern has look-around or backreferences, which a search does not support.",
      "Search for something simpler, then look at the hits.",
    );
}
