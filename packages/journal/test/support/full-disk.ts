// Writes, commands and undoes through a journal on a file system that fills up at every possible step. Runs in a mount
// namespace of its own, in which a small tmpfs is mounted at the last argument; says what was wrong, one JSON line each.
import { mkdirSync, readFileSync, realpathSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFiles } from "@haft/host";
import { createProcesses } from "@haft/host/process";
import { createCapture } from "../../src/capture.ts";
import { openJournal } from "../../src/index.ts";
import { stateOf } from "./journal.ts";

const [step = "4", from = "0", to = "100", place = ""] = process.argv.slice(2);
const base = realpathSync(place);
const root = join(base, "work");
const folder = join(base, "journal");
const filler = join(base, "filler");
const OLD = "old ".repeat(2_000);
const NEW = "new ".repeat(3_000);

const complain = (what: string, details: object = {}) =>
  process.stdout.write(`${JSON.stringify({ what, ...details })}\n`);

/** Leaves about so many KiB free. */
function fillUpTo(kib: number): void {
  rmSync(filler, { force: true });
  const { bavail, bsize } = statfsSync(base);
  try {
    writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - kib * 1024)));
  } catch {
    // Fuller than full.
  }
}

const messages = new Map<string, number>();
function note(thrown: unknown): void {
  const { code = "none", message } = thrown as Error & { code?: string };
  messages.set(code, (messages.get(code) ?? 0) + 1);
  if (!["no_space", "conflict", "execution_failed", "sandbox_unavailable", "io_error"].includes(code))
    complain("an error that says nothing of the disk", { code, message });
}

const OPERATIONS = ["write", "command", "undo"] as const;

async function tryAt(kib: number, operation: (typeof OPERATIONS)[number]): Promise<void> {
  for (const path of [root, folder, filler]) rmSync(path, { recursive: true, force: true });
  mkdirSync(join(root, "sub"), { recursive: true });
  for (const name of ["a", "b", "sub/c"]) writeFileSync(join(root, name), OLD);
  const before = stateOf(root);
  const files = createFiles();
  const capture = createCapture();
  const processes = createProcesses({ around: capture.around });
  const journal = openJournal({ folder, root, capture });
  const call = (id: string, tool: string) => ({ id, tool, turn: 1, session: "s1" });
  const write = (id: string, name: string) =>
    journal.change(call(id, "Write"), { path: join(root, name), data: NEW }, () => files.write(join(root, name), NEW));
  const command = () => {
    const script = `for f in a b sub/c; do cp ${base}/new $f; done; mkdir -p d; cp ${base}/new d/e`;
    return journal.command(call("c2", "Bash"), { command: script, cwd: root }, processes.run);
  };
  writeFileSync(join(base, "new"), NEW);
  if (operation === "undo") await command();
  fillUpTo(kib);
  try {
    if (operation === "write") await write("c1", "a");
    else if (operation === "command") await command();
    else await journal.undo();
  } catch (thrown) {
    note(thrown);
  }
  for (const name of ["a", "b", "sub/c", "d/e"]) {
    const text = read(join(root, name));
    // A failed write of the command itself is the command's affair; a view never shows a half-written file.
    const isWhole =
      text === undefined || text === OLD || text === NEW || (operation === "command" && NEW.startsWith(text));
    if (!isWhole) complain("half a file", { kib, operation, name, length: text?.length });
  }
  rmSync(filler, { force: true });
  journal.close();
  const again = openJournal({ folder, root });
  try {
    for (let round = 0; round < 3; round++) await again.undo({ all: true });
  } catch (thrown) {
    if ((thrown as { code?: string }).code !== "validation_failed")
      complain("undo does not work afterwards", { kib, operation, message: (thrown as Error).message });
  }
  const open = again.history().entries.filter(({ state }) => state === "open");
  if (open.length > 0) complain("an entry was left open", { kib, operation });
  const after = stateOf(root, (path) => /\/\.haft-[^/]+\.tmp$/.test(path));
  if (after !== before)
    complain("undo did not bring everything back", { kib, operation, lines: different(before, after) });
  again.close();
  await processes.close();
}

const different = (before: string, after: string): readonly string[] =>
  after
    .split("\n")
    .filter((line) => !before.split("\n").includes(line))
    .map((line) => line.slice(0, 60));

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

for (const operation of OPERATIONS)
  for (let kib = Number(from); kib <= Number(to); kib += Number(step)) await tryAt(kib, operation);
process.stdout.write(`${JSON.stringify({ done: Object.fromEntries(messages) })}\n`);
process.exit(0);
