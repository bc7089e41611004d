import type { Theme } from "../draw/style.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The theme that the person has set, or that the terminal has told the environment. */
export function themeOf({ HAFT_THEME: set, COLORFGBG: colors }: Environment): Theme | undefined {
  if (set === "dark" || set === "light") return set;
  const background = /;(\d+)$/.exec(colors ?? "")?.[1];
  if (background === undefined) return undefined;
  // 7 and 15 are the light ones of the sixteen colours.
  return background === "7" || background === "15" ? "light" : "dark";
}

/** The theme for a background colour as a terminal reports it: `rgb:ffff/ffff/ffff`. */
export function themeOfColor(report: string): Theme | undefined {
  const found = /rgba?:([\da-f]+)\/([\da-f]+)\/([\da-f]+)/i.exec(report);
  if (!found) return undefined;
  const [red = 0, green = 0, blue = 0] = found
    .slice(1)
    .map((part) => Number.parseInt(part, 16) / (16 ** part.length - 1));
  return 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 ? "light" : "dark";
}

/** Milliseconds in which a terminal answers. Many never do. */
const ANSWER_MS = 60;

/** Asks the terminal for its background. Keys that arrive meanwhile are given back. */
export async function askTheme(stdin: NodeJS.ReadStream, stdout: NodeJS.WriteStream): Promise<Theme | undefined> {
  if (!stdin.isTTY) return undefined;
  stdin.setRawMode(true);
  let said = "";
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      stdin.off("data", hear).pause();
      stdin.setRawMode(false);
      const keys = said.replace(ANSWER, "");
      if (keys !== "") stdin.unshift(keys);
      resolve(themeOfColor(said));
    };
    const hear = (chunk: Buffer | string): void => {
      said += chunk.toString();
      if (ANSWER.test(said)) end();
    };
    const timer = setTimeout(end, ANSWER_MS);
    stdin.on("data", hear).resume();
    stdout.write("\u001b]11;?\u0007");
  });
}

const ESC = "\\u001b";
const BELL = "\\u0007";
const ANSWER = new RegExp(`${ESC}\\]11;[^${BELL}${ESC}]*(?:${BELL}|${ESC}\\\\)`);
