import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { CanvasState } from "../../../haft/src/server/canvas/canvas-state.ts";
import { post } from "../lib/api.ts";
import { CanvasFollower, type Proposal } from "../lib/canvas/follower.ts";
import { fileOf } from "../lib/canvas/page-html.ts";
import { pathTo } from "../lib/router.ts";
import { useStore } from "../lib/store.ts";
import { clean, Failure } from "./bits.tsx";

/** The canvas of a session. `isWhole`: it is all of the page, so it also says when there is nothing. */
export function CanvasPanel({ id, isWhole = false }: { readonly id: string; readonly isWhole?: boolean }) {
  const follower = useMemo(() => new CanvasFollower(id), [id]);
  // Not before: a page that is left is closed first.
  useEffect(() => {
    follower.open();
    return () => follower.close();
  }, [follower]);
  const state = useStore(follower.state);
  const proposal = useStore(follower.proposal);
  const fault = useStore(follower.fault);
  const closed = useStore(follower.closed);
  const [round, setRound] = useState(0);
  const { page, fault: missing } = state ?? {};
  if (!state || !(page || missing))
    return isWhole ? <p class="empty">The canvas is empty. The agent shows pages here with the tool canvas.</p> : null;
  if (!isWhole && (state.isHidden || closed === state.version)) return null;
  const isFolded = state.isHidden;
  return (
    <section class={`canvas${isWhole ? " canvas-whole" : ""}`} aria-label="Canvas">
      <header class="canvas-head">
        <h2>{clean(state.title)}</h2>
        {page?.kind === "app" && <span class="tag tag-warn">from the MCP server {clean(page.server)}</span>}
        {page?.kind === "address" && <span class="tag tag-warn">{clean(page.url)}</span>}
        {domainsOf(state) && page?.kind === "app" && <span class="dim">may reach {clean(domainsOf(state))}</span>}
        <span class="canvas-buttons">
          {page && (
            <button type="button" class="quiet" onClick={() => setRound(round + 1)}>
              Reload
            </button>
          )}
          {page && page.kind !== "address" && (
            <button type="button" class="quiet" onClick={() => download(state)}>
              Export
            </button>
          )}
          {isWhole ? (
            <a href={pathTo("s", id)}>Back</a>
          ) : (
            <>
              <a href={pathTo("s", id, "canvas")}>Enlarge</a>
              <button type="button" class="quiet" onClick={() => follower.closePanel()}>
                Close
              </button>
            </>
          )}
        </span>
      </header>
      {proposal && <ProposalBar id={id} proposal={proposal} />}
      <Failure error={fault && `${fault} It was stopped; use Reload to restart it.`} />
      <Failure error={missing} />
      {isFolded && <p class="empty">The agent has hidden this page.</p>}
      {page && fault === undefined && !isFolded && (
        <Frame key={`${state.version}-${round}`} follower={follower} state={state} title={state.title} />
      )}
    </section>
  );
}

function Frame({
  follower,
  state,
  title,
}: {
  readonly follower: CanvasFollower;
  readonly state: CanvasState;
  readonly title: string;
}) {
  const frame = useRef<HTMLIFrameElement>(null);
  // The address is set after the listener is there, so that no message is missed.
  useEffect(() => {
    const element = frame.current!;
    const detach = follower.attach(element, state.version);
    element.src = `/canvas/frame?domains=${encodeURIComponent(JSON.stringify(state.domains))}`;
    return detach;
  }, []);
  return <iframe ref={frame} class="canvas-frame" title={clean(title)} sandbox="allow-scripts allow-forms" />;
}

/** Milliseconds before a proposal can be allowed. */
const SEEN_MS = 500;

function ProposalBar({ id, proposal }: { readonly id: string; readonly proposal: Proposal }) {
  const { kind, title, text } = proposal;
  // The page chooses the moment: the second click of a double click into the page must not answer.
  const [seen, setSeen] = useState<Proposal>();
  useEffect(() => {
    const timer = setTimeout(() => setSeen(proposal), SEEN_MS);
    return () => clearTimeout(timer);
  }, [proposal]);
  const allow = (): void => {
    proposal.answer(true);
    if (kind === "link") window.open(text, "_blank", "noopener,noreferrer");
    else void post(`/api/sessions/${id}/prompt`, { text }).catch(() => {});
  };
  return (
    <div class="canvas-proposal" role="alert">
      <p>{clean(title)}</p>
      <code>{clean(text)}</code>
      {kind !== "notice" && (
        <button type="button" disabled={seen !== proposal} onClick={allow}>
          {kind === "link" ? "Open it" : "Send it"}
        </button>
      )}
      <button type="button" class="quiet" onClick={() => proposal.answer(false)}>
        {kind === "notice" ? "Dismiss" : "Refuse"}
      </button>
    </div>
  );
}

const domainsOf = ({ domains }: CanvasState): string =>
  [...new Set([...(domains.connectDomains ?? []), ...(domains.resourceDomains ?? [])])].join(", ");

function download({ page, title }: CanvasState): void {
  const file = page && fileOf(page, title);
  if (!file) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([file.text], { type: "text/plain" }));
  link.download = file.name;
  link.click();
  URL.revokeObjectURL(link.href);
}
