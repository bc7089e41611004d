import { hostname } from "node:os";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { display } from "@haft/core/tool";
import { oneLine } from "./sanitize.ts";
import type { Style } from "./style.ts";

/** A path for people: relative if it is below the folder of the session. */
export const shownPath = ({ cwd }: Style, path: string): string => (cwd === undefined ? path : display(cwd, path));

/** Makes paths below the session's folder relative in a text. */
export function withShownPaths({ cwd }: Style, text: string): string {
  if (cwd === undefined || cwd === "/") return text;
  const [first = "", ...rest] = text.split(`${cwd}/`);
  return rest.reduce((shown, part) => `${shown}${BEFORE_PATH.test(shown) ? "" : `${cwd}/`}${part}`, first);
}

/** After other characters, the same letters are the end of a longer path. */
const BEFORE_PATH = /(?:^|[\s"'`(=:])$/;

/** Links a text to a file, if the terminal supports links. The text must have been sanitised. */
export function linked(style: Style, path: string, text: string, line?: number): string {
  if (!style.links) return text;
  const url = pathToFileURL(resolve(style.cwd ?? "", path));
  url.host = hostname();
  if (line !== undefined) url.hash = `L${line}`;
  return webLink(style, url.href, text);
}

/** Links a text to a web address of ours, if the terminal supports links. */
export const webLink = ({ links }: Pick<Style, "links">, url: string, text: string): string =>
  links ? `\u001b]8;;${url}\u001b\\${text}\u001b]8;;\u001b\\` : text;

/** A path for display: relative, on one line, and a link if the terminal supports links. */
export const drawnPath = (style: Style, path: string): string => linked(style, path, oneLine(shownPath(style, path)));
