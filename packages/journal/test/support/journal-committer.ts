// A process that applies one held view, or without an id undoes everything. It can be killed at a chosen system call, or
// that call can fail. Arguments: root, journal folder, id. It begins when it is told to, by a line.
import { once } from "node:events";
import { createCapture } from "../../src/capture.ts";
import { openJournal } from "../../src/index.ts";

const [root = "", folder = "", id = ""] = process.argv.slice(2);
const journal = openJournal({ folder, root, capture: createCapture() });
process.stdout.write("ready\n");
await once(process.stdin, "data");
process.stdin.destroy();
await (id === "" ? journal.undo({ all: true }) : journal.commitHeld(id));
journal.close();
