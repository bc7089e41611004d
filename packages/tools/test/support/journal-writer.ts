// A process that writes, runs commands, undoes and does again through a journal until it is killed. Arguments: root, journal folder.
import { join } from "node:path";
import { createFiles, createProcesses } from "../../src/host/index.ts";
import { createCapture, openJournal } from "../../src/journal/index.ts";

const [root = "", folder = "", start = "0"] = process.argv.slice(2);
const capture = createCapture();
const processes = createProcesses({ around: capture.around });
const files = createFiles();
const journal = openJournal({ folder, root, capture });

process.stdout.write("ready\n");
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
