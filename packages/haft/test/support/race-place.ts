import {
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

export const NAMES = Array.from({ length: 8 }, (_, index) => `f${index}.txt`);

/** A user id without rights. */
export const SOMEBODY = 65534;

const NOTEBOOK = JSON.stringify({
  cells: [{ cell_type: "code", id: "one", source: ["1"], metadata: {}, outputs: [], execution_count: null }],
  metadata: { language_info: { name: "python" } },
  nbformat: 4,
  nbformat_minor: 5,
});

/**
 * Makes a workspace with a folder `d` and a link `l` to a folder outside of it, which has the same names. Some files have
 * a second name on their side: Haft writes into such files and does not replace them. `mounted` and `mounted-outside` are
 * there to be mounted on `mnt`.
 */
export function makeRacePlace(forSomebody: boolean): string {
  const base = realpathSync(mkdtempSync("/var/tmp/haft-race-"));
  for (const folder of [
    "work/d/mnt",
    "outside/mnt",
    ...FOLDERS.map(([folder]) => folder),
    ...LINKED.map(([, others]) => others),
  ])
    mkdirSync(join(base, folder), { recursive: true });
  for (const [folder, text] of FOLDERS) {
    for (const name of NAMES) writeFileSync(join(base, folder, name), text);
    writeFileSync(join(base, folder, "n.ipynb"), NOTEBOOK.replace('"1"', JSON.stringify(text.trim())));
  }
  for (const [folder, others] of LINKED)
    for (const name of ["f6.txt", "f7.txt"]) linkSync(join(base, folder, name), join(base, others, name));
  symlinkSync("../outside", join(base, "work/l"));
  if (forSomebody)
    for (const name of ["", ...readdirSync(base, { recursive: true, encoding: "utf8" })]) {
      const path = join(base, name);
      if (!lstatSync(path).isSymbolicLink()) chownSync(path, SOMEBODY, SOMEBODY);
    }
  return base;
}

const FOLDERS = [
  ["work/d", "inside\n"],
  ["mounted", "inside\n"],
  ["outside", "SECRET\n"],
  ["mounted-outside", "SECRET\n"],
] as const;

const LINKED = [
  ["work/d", "work/keep"],
  ["mounted", "linked-mounted"],
  ["outside", "linked-outside"],
  ["mounted-outside", "linked-mounted-outside"],
] as const;

/** Every name outside, with type, rights and content. */
export function outsideState(base: string): string {
  return ["outside", "mounted-outside", "linked-outside", "linked-mounted-outside"]
    .flatMap((folder) => [folder, ...readdirSync(join(base, folder)).map((name) => join(folder, name))])
    .filter((name) => existsSync(join(base, name)))
    .sort()
    .map((name) => {
      const found = lstatSync(join(base, name));
      const text = found.isFile() ? readFileSync(join(base, name), "utf8") : "";
      return `${name} ${(found.mode & 0o170777).toString(8)} ${text}`;
    })
    .join("\n");
}
