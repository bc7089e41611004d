// A process that writes, runs commands, undoes and does again through a journal until it is killed. Arguments: root,
// journal folder. It begins when it is told the number of its first round, by a line on its input.
import { once } from "node:events";
import { join } from "node:path";
import { createFiles } from "@haft/host";
import { createProcesses } from "@haft/host/process";
import { createCapture } from "../../src/capture.ts";
import { openJournal } from "../../src/index.ts";

const [root = "", folder = ""] = process.argv.slice(2);
const capture = createCapture();
const processes = createProcesses({ around: capture.around });
const files = createFiles();
const journal = openJournal({ folder, root, capture });

const [start] = await once(process.stdin, "data");
process.stdin.destroy();
process.stdout.write("begins\n");
for (let round = Number(start); ; round++) {
  const call = { id: `c${round}`, tool: "Write", turn: round + 1, session: "s1" };
  const name = join(root, `f${round % 7}`);
  const turn = round % 5;
  if (turn === 4) await (round % 3 === 0 ? journal.redo() : journal.undo()).catch(() => undefined);
  else if (turn === 3) {
    const command = `for i in {1..24}; do echo ${round} > sub/g$i; done; rm -f f${round % 7}; mkdir -p d${round % 3}; echo x > d${round % 3}/x`;
    await journal.command(call, { command, cwd: root }, processes.run);
  } else {
    const data = `${round} `.repeat(2000);
    await journal.change(call, { path: name, data }, () => files.write(name, data));
  }
}
