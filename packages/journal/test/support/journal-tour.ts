// A process that runs a command in the workspace of a folder and undoes it, and writes what it found. Its state is in the
// same folder. Arguments: the folder, the tier, whether its files are there already, and the command.
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createProcesses } from "@haft/host/process";
import { createCapture } from "../../src/capture.ts";
import { openJournal } from "../../src/index.ts";
import { variantsOf } from "../../src/view/tier.ts";
import { stateOf } from "./state.ts";

const DEFAULT = "echo more >> a; rm b; mv d/c c; echo new > 'odd\nname'; printf x > $'latin-\\xe9'";
const [base = "", tier = "view", isReady, command = DEFAULT] = process.argv.slice(2);
const root = join(base, "work");
if (isReady === undefined) {
  mkdirSync(join(root, "d"), { recursive: true });
  for (const name of ["a", "b", "d/c"]) writeFileSync(join(root, name), `old ${name}\n`);
}
const capture = createCapture({ variants: variantsOf(tier as "view") });
const processes = createProcesses({ around: capture.around });
const journal = openJournal({ folder: join(base, "state/journal"), root, capture });
const before = stateOf(root);
const call = { id: "c1", tool: "Bash", turn: 1, session: "s1" };
const told = ({ message = "", hint = "" }: { readonly message?: string; readonly hint?: string }) =>
  `${message} ${hint}`;
const ran = await journal.command(call, { command, cwd: root }, processes.run).catch(told);
const changed = stateOf(root) !== before;
const owner = statSync(join(root, "a")).uid;
const undone = await journal.undo().then(
  ({ losses, kept }) => [...losses, ...kept].map(({ path, why }) => `${path}: ${why}`),
  (thrown) => [told(thrown)],
);
const output = typeof ran === "string" ? ran : ran.output;
process.stdout.write(
  JSON.stringify({ tier: journal.tier(), output, changed, owner, undone, isBack: stateOf(root) === before }),
);
journal.close();
