import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** The path of a program by name. Searches absolute entries of PATH only, so never the working directory. */
export function findProgram(name: string, path: string = process.env.PATH ?? ""): string | undefined {
  const endings = process.platform === "win32" ? [".exe", ""] : [""];
  for (const folder of path.split(delimiter).filter(isAbsolute))
    for (const ending of endings) {
      const file = join(folder, name + ending);
      if (isProgram(file)) return file;
    }
  return undefined;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
