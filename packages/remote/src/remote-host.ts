/** Another machine as the host of a session: its files and programs, and the journal that lives beside them. */
import type { Journal, JournalCall } from "@haft/core/executor";
import { type Files, type FindQuery, fail, type Processes, type RunOutcome, type SearchQuery } from "@haft/core/tool";
import { scriptDigest } from "@haft/host/process";
import type { HostJournal, Undone, UndoOptions } from "@haft/journal";
import { FILE_METHODS, type Opened } from "./agent.ts";
import { type AgentConnection, startAgent, type Way } from "./start-agent.ts";

/** The journal of a remote machine. Before-images stay there. */
export interface RemoteJournal extends Journal, Pick<HostJournal, "planUndo" | "planRedo" | "preview"> {
  undo(options?: UndoOptions): Promise<Undone>;
  redo(options?: UndoOptions): Promise<Undone>;
}

/** A folder of another machine, ready to be the host of a session: `createHaft({ ...remote.options })`. */
export interface RemoteHost extends AsyncDisposable {
  /** The options of `createHaft` that put a session there. */
  readonly options: {
    readonly host: { readonly files: Files; readonly processes: Processes; close(): Promise<void> };
    readonly journal: RemoteJournal;
    readonly cwd: string;
    readonly home: string;
  };
  readonly about: Opened;
  /** Ends the connection, and with it what runs there. */
  close(): Promise<void>;
}

/** Most files that are looked through for the ones that the session may see. */
const MOST_FILES = 100_000;

/**
 * Opens a folder of another machine.
 *
 * @throws HaftError `tool_unavailable` when the machine cannot be reached, `file_not_found` when the folder is missing.
 */
export async function openRemoteHost(way: Way, folder: string): Promise<RemoteHost> {
  let connection: Promise<AgentConnection> | undefined;
  let isOver = false;
  const connect = async (): Promise<AgentConnection> => {
    const opened = await startAgent(way);
    about = await opened.peer.call<Opened>("open", folder).catch(async (thrown) => {
      await opened.close();
      throw thrown;
    });
    return opened;
  };
  let about: Opened;
  async function call<T>(method: string, ...given: readonly unknown[]): Promise<T> {
    if (isOver) fail("execution_failed", `${way.name} is closed.`);
    const known = await connection;
    // A write whose old content was saved over a connection that is lost must not happen over a new one.
    if (known?.peer.isStale()) fail("execution_failed", `The connection to ${way.name} was lost during this call.`);
    if (!known || known.peer.isClosed) {
      connection = connect();
      connection.catch(() => {
        connection = undefined;
      });
    }
    return (await connection!).peer.call<T>(method, ...given);
  }
  connection = connect();
  await connection;
  about = about!;
  const close = async () => {
    isOver = true;
    await (await connection?.catch(() => undefined))?.close();
  };
  return {
    options: {
      host: {
        files: { ...filesOver(call, "files"), exact: filesOver(call, "exact") },
        processes: processesOver(call, () => about),
        close,
      },
      journal: journalOver(call),
      cwd: about.cwd,
      home: about.home,
    },
    get about() {
      return about;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

type Call = <T>(method: string, ...given: readonly unknown[]) => Promise<T>;

function filesOver(call: Call, prefix: "files" | "exact"): Omit<Files, "exact"> {
  const plain = Object.fromEntries(
    FILE_METHODS.map((name) => [name, (...given: readonly unknown[]) => call(`${prefix}.${name}`, ...given)]),
  ) as unknown as Omit<Files, "exact">;
  return {
    ...plain,
    find: (query) => findVisible(plain, query),
    search: (query) => searchVisible(plain, query),
    async gitTracked(folder, isWanted) {
      return (await call<readonly string[]>(`${prefix}.gitTracked`, folder)).filter(isWanted);
    },
    seen: async () => undefined,
    show: async () => undefined,
  };
}

/** The policy is here and not there: all names come over, and those that the session may not see are left out. */
async function findVisible(plain: Pick<Files, "find">, query: FindQuery): Promise<Awaited<ReturnType<Files["find"]>>> {
  const { isVisible, limit, ...rest } = query;
  if (!isVisible) return plain.find(query);
  const found = await plain.find({ ...rest, limit: Math.max(limit, MOST_FILES) });
  const visible = found.paths.filter(isVisible);
  const isCut = found.total > found.paths.length;
  return { ...found, paths: visible.slice(0, limit), total: visible.length, ...(isCut ? { unread: true } : {}) };
}

/** First the names of all files with hits; then the search again, without the files that the session may not see. */
async function searchVisible(
  plain: Pick<Files, "search">,
  query: SearchQuery,
): Promise<Awaited<ReturnType<Files["search"]>>> {
  const { isVisible, limit, offset = 0, want, ...rest } = query;
  if (!isVisible) return plain.search(query);
  const counted = await plain.search({ ...rest, want: "counts", limit: MOST_FILES, offset: 0 });
  const visible = counted.files.filter(({ path }) => isVisible(path));
  const isCut = counted.total > counted.files.length;
  const cut = isCut ? { unread: true as const } : {};
  if (want !== "lines")
    return { ...counted, ...cut, files: visible.slice(offset, offset + limit), total: visible.length };
  const hits = visible.reduce((sum, { count }) => sum + count, 0);
  const hidden = counted.files.length - visible.length;
  if (hidden === 0 && !isCut) return plain.search({ ...rest, want, limit, offset });
  // Hits of hidden files may lie anywhere between the others, so all are fetched.
  const every = await plain.search({ ...rest, want, limit: MOST_FILES, offset: 0 });
  const seen = every.matches.filter(({ path }) => isVisible(path));
  return { ...every, ...cut, matches: pageOf(seen, offset, limit), total: hits };
}

type Hits = Awaited<ReturnType<Files["search"]>>["matches"];

/** The hits of a page with the context around each. */
function pageOf(matches: Hits, offset: number, limit: number): Hits {
  let count = 0;
  const numbered = matches.map((match) => ({ match, at: match.context ? -1 : count++ }));
  const isIn = (at: number) => at >= offset && at < offset + limit;
  const near = (index: number, step: 1 | -1): number => {
    for (let at = index; at >= 0 && at < numbered.length; at += step)
      if (numbered[at]!.at >= 0) return numbered[at]!.at;
    return -1;
  };
  return numbered.flatMap(({ match, at }, index) =>
    isIn(at) || (at < 0 && (isIn(near(index, -1)) || isIn(near(index, 1)))) ? [match] : [],
  );
}

const processesOver = (call: Call, about: () => Opened): Processes => ({
  run: (request) => call<RunOutcome>("run", request),
  identify: (place) => call("identify", place),
  contents: (startable) => call("contents", startable),
  runsBash: () => call("runsBash"),
  digest: scriptDigest,
  // The answer is needed at once: if a project may replace programs, every folder counts as one that does.
  replaced: (folder) => (about().heedsChoices ? `${folder}/.tool-versions` : undefined),
});

const journalOver = (call: Call): RemoteJournal => ({
  change: (...given) => call("change", ...given),
  command: (...given) => call("command", ...given),
  together: <T>(of: JournalCall, act: () => Promise<T>) => call<T>("together", of, act),
  undo: (options) => call("undo", options),
  redo: (options) => call("redo", options),
  planUndo: (scope) => call("planUndo", scope),
  planRedo: (scope) => call("planRedo", scope),
  preview: (plan) => call("preview", plan),
});
