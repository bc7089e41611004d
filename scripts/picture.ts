// Plays `npm start` without a terminal and puts what it prints at the top of the README.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const path = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));
const BLOCK = /(<!-- block: skip npm run picture [^>]*-->\n```text\n)([\s\S]*?)(\n```)/;

/** The output of `npm start` without a terminal. */
export function playedPicture(): string {
  const script = path("examples/first-session/start.mjs");
  const { stdout, stderr, status } = spawnSync(process.execPath, [script], { encoding: "utf8", input: "" });
  if (status !== 0) throw new Error(`The demo ended with ${status}: ${stderr}`);
  return stdout.trimEnd();
}

/** The picture in the README. */
export const keptPicture = (): string | undefined => BLOCK.exec(readFileSync(path("README.md"), "utf8"))?.[2];

/** A picture without what differs from run to run. */
export const steady = (picture: string): string => picture.replaceAll(/\d+(?:\.\d+)? (m?s)\b/g, "N $1");

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const readme = readFileSync(path("README.md"), "utf8");
  const played = playedPicture();
  writeFileSync(
    path("README.md"),
    readme.replace(BLOCK, (_, head: string, __, tail: string) => head + played + tail),
  );
}
