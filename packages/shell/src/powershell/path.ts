import { text, type Value } from "../word/value.ts";
import type { PowerShellContext } from "./context.ts";
import type { Part } from "./tokens.ts";

/** The path that an argument names, or why it is not certain. With `isLiteral`, wildcards are literal. */
export function pathValue(
  parts: readonly Part[],
  { home, platform }: Pick<PowerShellContext, "home" | "platform">,
  isLiteral: boolean,
): Value | string {
  if (parts.some((part) => part.unknown)) return "A path is not known before the run.";
  const named = parts
    .map((part) => part.text)
    .join("")
    .replaceAll("\\", "/");
  if (named === "") return "A path is empty.";
  if (named.startsWith("//")) return "A path may lie on another machine.";
  const isDrive = platform === "win32" && /^[A-Za-z]:\//.test(named);
  const path = isDrive ? `/${named[0]!.toLowerCase()}${named.slice(2)}` : named;
  // Other drives are the environment, the registry, certificates. After a file a colon names one of its streams.
  if (path.includes(":")) return "A path names a drive or a stream.";
  if (path.startsWith("~") && !/^~(\/|$)/.test(path)) return "A path begins with ~.";
  const whole = path.startsWith("~") ? home + path.slice(1) : path;
  const cut = isLiteral ? -1 : whole.search(/[*?[\]]/);
  return cut < 0 ? text(whole) : { kind: "name", heads: [whole.slice(0, cut)], rest: whole.slice(cut) };
}
