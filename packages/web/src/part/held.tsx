import { useState } from "preact/hooks";
import { get, post } from "../lib/api.ts";
import { useLoaded } from "../lib/store.ts";
import { agoOf, clean, counted, Failure, place } from "./bits.tsx";
import { Diff } from "./diff.tsx";

interface Held {
  readonly id: string;
  readonly tool: string;
  readonly at: string;
  readonly why: string;
  readonly digest: string;
  readonly previews: readonly { readonly path: string; readonly what: string; readonly diff?: string }[];
  readonly conflicts: readonly string[];
}

/** The changes that a dry run or a cut-off command has left aside, to apply or discard. `look`: another value loads again. */
export function HeldChanges({
  session,
  look,
  onApplied,
}: {
  readonly session?: string;
  readonly look?: unknown;
  onApplied?(): void;
}) {
  const query = session === undefined ? "" : `?session=${encodeURIComponent(session)}`;
  const { data, reload } = useLoaded(() => get<{ held: readonly Held[] }>(`/api/held${query}`), [query, look]);
  const settled = (): void => {
    reload();
    onApplied?.();
  };
  return (
    <>
      {data?.held.map((held) => (
        <HeldCard key={held.id} held={held} onSettled={settled} />
      ))}
    </>
  );
}

function HeldCard({ held, onSettled }: { readonly held: Held; onSettled(): void }) {
  const { id, tool, at, why, digest, previews, conflicts } = held;
  const [error, setError] = useState<string>();
  const isEmpty = previews.length === 0;
  const settle = (action: "commit" | "discard", body: object = {}): void =>
    void post(`/api/held/${id}/${action}`, body).then(onSettled, (thrown: Error) => setError(thrown.message));
  return (
    <article class="approval" aria-label="Held changes">
      <header>
        <h3>
          {isEmpty
            ? "Held changes that no longer fit"
            : `Nothing has changed yet: ${counted(previews.length, "path")} held`}
        </h3>
        <p class="dim">
          {clean(tool)} · {clean(why)} · {agoOf(at)}
        </p>
      </header>
      {previews.map(({ path, what, diff }) =>
        diff === undefined ? (
          <p key={path}>
            <code>{place(path)}</code> {clean(what)}
          </p>
        ) : (
          <Diff key={path} path={path} unified={diff} />
        ),
      )}
      {conflicts.map((path) => (
        <p key={path} class="bad">
          <code>{place(path)}</code>: others have changed it since.
        </p>
      ))}
      <Failure error={error} />
      <div class="answers">
        <button type="button" class="deny" onClick={() => settle("discard")}>
          Discard
        </button>
        <button type="button" class="allow" disabled={isEmpty} onClick={() => settle("commit", { digest })}>
          Apply to the workspace
        </button>
      </div>
    </article>
  );
}
