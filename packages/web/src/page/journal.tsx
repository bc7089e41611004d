import { useState } from "preact/hooks";
import { get, post } from "../lib/api.ts";
import { pathTo } from "../lib/router.ts";
import { useLoaded } from "../lib/store.ts";
import { agoOf, clean, Empty, Failure, Head, place } from "../part/bits.tsx";
import { Diff } from "../part/diff.tsx";
import { HeldChanges } from "../part/held.tsx";

interface Entry {
  readonly id: string;
  readonly kind: string;
  readonly session: string;
  readonly call: string;
  readonly tool: string;
  readonly at: string;
  readonly paths: readonly string[];
  readonly undoneBy?: string;
}

interface Undone {
  readonly changes: readonly { readonly path: string; readonly what?: string; readonly diff?: string }[];
  readonly conflicts: readonly { readonly path: string; readonly why: string }[];
  readonly losses: readonly { readonly path: string; readonly why: string }[];
}

/** The changes of all calls in the folder, with undo after a look at the diff. */
export function JournalPage() {
  const { data, error, reload } = useLoaded(
    () => get<{ entries: readonly Entry[]; held: readonly unknown[] }>("/api/journal?limit=200"),
    [],
  );
  const [failure, setFailure] = useState<string>();
  const redo = (): void => void post("/api/journal/redo").then(reload, (thrown: Error) => setFailure(thrown.message));
  return (
    <div class="page">
      <Head title="Journal">
        {data?.entries.some(({ undoneBy }) => undoneBy !== undefined) && (
          <button type="button" class="quiet" onClick={redo}>
            Redo the last undo
          </button>
        )}
      </Head>
      <Failure error={error ?? failure} />
      <HeldChanges onApplied={reload} />
      {data?.entries.length === 0 && <Empty>No call has changed files in this folder.</Empty>}
      <ol class="cards list">
        {data?.entries.map((entry) => (
          <JournalEntry key={entry.id} entry={entry} onUndone={reload} />
        ))}
      </ol>
    </div>
  );
}

function JournalEntry({ entry, onUndone }: { readonly entry: Entry; onUndone(): void }) {
  const [plan, setPlan] = useState<Undone>();
  const [error, setError] = useState<string>();
  const scope = { session: entry.session, call: entry.call };
  const isUndo = entry.kind === "undo" || entry.kind === "redo";
  const ask = (preview: boolean): Promise<Undone> => post<Undone>("/api/journal/undo", { ...scope, preview });
  const undone = (): void => {
    setPlan(undefined);
    onUndone();
  };
  const failed = (thrown: Error): void => setError(thrown.message);
  return (
    <li class="card">
      <div class="entry-head">
        <span>
          <b>{isUndo ? entry.kind : entry.tool}</b>{" "}
          {entry.paths
            .slice(0, 3)
            .map((path) => place(path))
            .join(", ")}
          {entry.paths.length > 3 && ` and ${entry.paths.length - 3} more`}
        </span>
        <span class="dim">
          {agoOf(entry.at)} · <a href={pathTo("s", entry.session, "time", entry.call)}>time travel</a>
        </span>
        {entry.undoneBy !== undefined ? (
          <span class="tag">undone</span>
        ) : (
          !isUndo && (
            <button type="button" class="quiet" onClick={() => void ask(true).then(setPlan, failed)}>
              Undo …
            </button>
          )
        )}
      </div>
      <Failure error={error} />
      {plan && (
        <div class="plan">
          {plan.changes.map(({ path, what, diff }) =>
            diff === undefined ? (
              <p key={path}>
                <code>{place(path)}</code> {what}
              </p>
            ) : (
              <Diff key={path} path={path} unified={diff} />
            ),
          )}
          {[...plan.conflicts, ...plan.losses].map(({ path, why }) => (
            <p key={path} class="bad">
              <code>{place(path)}</code> {clean(why)}
            </p>
          ))}
          <div class="answers">
            <button type="button" class="danger" onClick={() => void ask(false).then(undone, failed)}>
              Undo
            </button>
            <button type="button" class="quiet" onClick={() => setPlan(undefined)}>
              Keep it
            </button>
          </div>
        </div>
      )}
    </li>
  );
}
