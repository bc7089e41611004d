// A held command that changes the types of paths.
import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createProcesses } from "@haft/host/process";
import { createCapture } from "../../src/capture.ts";
import { openJournal } from "../../src/index.ts";
import { hasBelongings, wholeStateOf } from "./belongings.ts";
import { type Bench, stateOf } from "./journal.ts";

/** Every change of type, changes beside them, and names of one file that come and go. */
const SCRIPT = [
  "rm f1; mkdir f1; echo in > f1/in; chmod 750 f1",
  "rm -r d1; echo file > d1",
  "rm -r d2; ln -s f4 d2",
  "rm l1; mkdir l1; echo in > l1/in",
  "rm l2; echo file > l2",
  "rm f2; ln -s f4 f2",
  "rm f3; echo new >> f4; rm -r d3; mkdir d4",
  "rm h2; ln h1 h4; chmod 600 h1; rm h3; mkdir h3; ln f4 h5",
].join("; ");

/** The state of a workspace, with ACLs and attributes where the machine has the programs for them. */
export const stateIn = (root: string): string => (hasBelongings ? wholeStateOf(root).join("\n") : stateOf(root));

/** Fills a workspace, and holds a command's changes to it. `before`: its state, which stays. */
export async function withHeldTypeChanges(
  bench: Bench,
): Promise<Bench & { readonly held: string; readonly before: string }> {
  const { root, journal } = bench;
  for (const name of ["f1", "f2", "f3", "f4"]) writeFileSync(join(root, name), `old ${name}\n`);
  for (const name of ["d1", "d2", "d3"]) {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, "x"), `old ${name}\n`);
  }
  for (const name of ["l1", "l2"]) symlinkSync("f4", join(root, name));
  writeFileSync(join(root, "h1"), "old h1\n");
  for (const name of ["h2", "h3"]) linkSync(join(root, "h1"), join(root, name));
  if (hasBelongings) {
    for (const name of ["f2", "f3", "d1", "d2", "d3", "d3/x"]) {
      execFileSync("setfattr", ["-n", "user.k", "-v", name, join(root, name)]);
      execFileSync("setfacl", ["-m", "u:1000:rx", join(root, name)]);
    }
  }
  const before = stateIn(root);
  const request = { command: SCRIPT, cwd: root };
  const call = { id: "c1", tool: "Bash", turn: 1, session: "s1" };
  const capture = createCapture();
  const own = openJournal({ folder: bench.folder, root, capture });
  const processes = createProcesses({ around: capture.around });
  await own.command(call, request, processes.run, async () => ({ do: "hold", why: "a test" }));
  own.close();
  const [held] = await journal.held();
  return { ...bench, held: held?.id ?? "", before };
}
