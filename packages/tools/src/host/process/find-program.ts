import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** Where a program of this name would be found: in absolute entries of PATH only, so never in the folder one stands in. */
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
