import { execFileSync } from "node:child_process";
import { toSystem } from "../image/raw-path.ts";

/** Creates a named pipe. Node has no call for it, and a path through a descriptor means another file in another process. */
export function makePipe(place: string, mode: number): void {
  const path = place.replace(/^\/proc\/self\//, `/proc/${process.pid}/`);
  const octal = (mode & 0o777).toString(8);
  // The name goes through standard input, because an argument cannot hold every byte of a file name.
  execFileSync("xargs", ["-0", "mkfifo", "-m", octal, "--"], {
    input: Buffer.concat([Buffer.from(toSystem(path)), Buffer.from("\0")]),
    stdio: ["pipe", "ignore", "pipe"],
  });
}
