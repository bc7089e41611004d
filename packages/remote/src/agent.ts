/** The remote end: this program runs on the other machine and offers its files, its programs and a journal of its own. */
import { mkdirSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Files, fail } from "@haft/core/tool";
import { createFiles, createRipgrep } from "@haft/host";
import { createProcesses, heedsChoices } from "@haft/host/process";
import { openJournal } from "@haft/journal";
import { createCapture } from "@haft/journal/capture";
import { stateFolder } from "@haft/service";
import { type Methods, openPeer } from "./peer.ts";

/** The methods of the files port that cross the wire as they are. */
export const FILE_METHODS = [
  ...["locate", "stat", "bytes", "text", "lines", "list", "write", "remove", "find", "search"],
  ...["gitConfig", "mentions"],
] as const;

/** The agent's description of itself and its machine. */
export interface Opened {
  readonly cwd: string;
  readonly home: string;
  readonly platform: string;
  readonly node: string;
  /** How the changes of commands are captured there. */
  readonly tier: string;
  /** Something there lets a project replace programs by its own. */
  readonly heedsChoices: boolean;
}

/** Serves one connection on stdin and stdout until it ends. Then it ends what its commands left running. */
export async function serveAgent(): Promise<void> {
  const methods: Record<string, Methods[string]> = {};
  const peer = openPeer({ input: process.stdin, output: process.stdout, methods });
  let close = async () => {};
  methods.open = (wanted: string) => {
    const opened = openAt(wanted);
    Object.assign(methods, opened.methods);
    close = opened.close;
    return opened.about;
  };
  await peer.closed;
  await close();
  process.exit(0);
}

function openAt(wanted: string): { readonly about: Opened; readonly methods: Methods; close(): Promise<void> } {
  const home = homedir();
  const cwd = folderAt(wanted === "~" || wanted.startsWith("~/") ? join(home, wanted.slice(1)) : wanted);
  const state = stateFolder(home, process.env);
  const capture = createCapture();
  const files = createFiles({ ripgrep: createRipgrep({ workspace: cwd, bundled: false }) });
  const processes = createProcesses({ around: capture.around });
  const folder = join(state.workspace(cwd), "journal");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const journal = openJournal({ folder, root: cwd, state: state.root, capture });
  const { identify, contents, runsBash } = processes;
  const exact = files.exact ?? files;
  return {
    about: {
      ...{ cwd, home, platform: process.platform, node: process.version },
      ...{ tier: journal.tier(), heedsChoices: heedsChoices() },
    },
    methods: {
      ...fileMethods(files, "files"),
      ...fileMethods(exact, "exact"),
      run: processes.run,
      identify: (place: never) => identify(place),
      contents: (startable: never) => contents(startable),
      runsBash: () => runsBash(),
      ...Object.fromEntries(JOURNAL_METHODS.map((name) => [name, journal[name].bind(journal)])),
      together: (call: never, act: never) => journal.together?.(call, act),
    },
    async close() {
      await processes.close();
      await journal.close();
    },
  };
}

const JOURNAL_METHODS = ["change", "command", "undo", "redo", "planUndo", "planRedo", "preview"] as const;

const fileMethods = (files: Omit<Files, "exact">, prefix: string): Methods => ({
  ...Object.fromEntries(
    FILE_METHODS.map((name) => [`${prefix}.${name}`, (...given: never[]) => callFile(files, name, given)]),
  ),
  [`${prefix}.gitTracked`]: (folder: string) => files.gitTracked?.(folder, () => true),
});

function callFile(files: Omit<Files, "exact">, name: (typeof FILE_METHODS)[number], given: readonly never[]): unknown {
  const method = files[name] as ((...given: readonly never[]) => unknown) | undefined;
  return method?.(...given);
}

/** The real path of a folder there. */
function folderAt(path: string): string {
  if (!path.startsWith("/")) fail("invalid_input", `${path} is not an absolute path.`, "Start the path with / or ~/.");
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found)
    fail("file_not_found", `${path} does not exist on the remote machine.`, "Make the folder, or name another.");
  if (!found.isDirectory()) fail("not_directory", `${path} on the remote machine is not a folder.`, "Name a folder.");
  return realpathSync(path);
}
