// A process that applies one held view, or without an id undoes everything, so that it can be killed at a chosen system
// call. Arguments: root, journal folder, id.

import { createCapture } from "../../src/capture.ts";
import { openJournal } from "../../src/index.ts";

const [root = "", folder = "", id = ""] = process.argv.slice(2);
const journal = openJournal({ folder, root, capture: createCapture() });
await (id === "" ? journal.undo({ all: true }) : journal.commitHeld(id));
journal.close();
