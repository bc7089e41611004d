import { type Effect, type Files, parent } from "@haft/core/tool";

/** The file in which a project says which version of a program asdf starts. With this word it names a folder with a program of its own. */
const CHOICES = ".tool-versions";
const OWN_PROGRAM: readonly string[] = ["path:"];

/** Folders above one that are looked into. */
const MOST_LEVELS = 64;

/**
 * The file by which a project has its own program started in place of one that is asked for, whichever that is: where asdf stands in
 * front of a program, nothing that is known of it holds there. What a person chose for all projects, in the home folder, is no such file.
 */
export async function choiceOfPrograms(
  effects: readonly Effect[],
  home: string,
  files: Pick<Files, "locate" | "mentions">,
): Promise<string | undefined> {
  const folders = new Set<string>();
  for (const effect of effects) {
    if (effect.do !== "run") continue;
    let folder = effect.cwd;
    for (let level = 0; level < MOST_LEVELS && folder !== home && !folders.has(folder); level++) {
      folders.add(folder);
      folder = parent(folder);
    }
  }
  // All at once: every command waits for it.
  const paths = [...folders].map((folder) => `${folder === "/" ? "" : folder}/${CHOICES}`);
  const named = await Promise.all(paths.map((path) => mayName(path, files)));
  return paths.find((_, index) => named[index]);
}

async function mayName(path: string, files: Pick<Files, "locate" | "mentions">): Promise<boolean> {
  try {
    if ((await files.locate(path)).kind === "missing") return false;
    return (await files.mentions?.(path, OWN_PROGRAM)) !== false;
  } catch {
    return true;
  }
}
