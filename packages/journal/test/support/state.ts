// The exact state of a folder as text.
import { accessSync, constants, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

function isClosed(path: Buffer): boolean {
  try {
    accessSync(path, constants.R_OK);
    return false;
  } catch {
    return true;
  }
}

/** Type, mode, content and link target of everything below a folder; `skip` leaves names out. */
export function stateOf(folder: string, skip: (path: string) => boolean = () => false): string {
  const lines: string[] = [];
  const walk = (path: Buffer, below: string) => {
    for (const name of readdirSync(path, { encoding: "buffer" }).sort(Buffer.compare)) {
      const full = Buffer.concat([path, Buffer.from("/"), name]);
      const shown = `${below}/${name.toString("latin1")}`;
      if (skip(shown)) continue;
      const found = lstatSync(full);
      const mode = found.isSymbolicLink() ? "" : (found.mode & 0o7777).toString(8);
      if (found.isFile())
        lines.push(`${shown} file ${mode} ${isClosed(full) ? "" : readFileSync(full).toString("latin1")}`);
      else if (found.isSymbolicLink()) lines.push(`${shown} link ${readlinkSync(full)}`);
      else lines.push(`${shown} ${found.isDirectory() ? "folder" : found.isFIFO() ? "pipe" : "other"} ${mode}`);
      if (found.isDirectory()) walk(full, shown);
    }
  };
  walk(Buffer.from(folder), "");
  return lines.join("\n");
}
