import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { post } from "../lib/api.ts";
import { inbox } from "../lib/inbox.ts";
import { SessionFollower } from "../lib/session.ts";
import { useStore } from "../lib/store.ts";
import { ApprovalCard } from "../part/approval.tsx";
import { clean, Failure } from "../part/bits.tsx";
import { CanvasPanel } from "../part/canvas-panel.tsx";
import { Composer } from "../part/composer.tsx";
import { HeldChanges } from "../part/held.tsx";
import { Rows } from "../part/row.tsx";
import { SessionHead } from "../part/session-head.tsx";
import { SidePanel } from "../part/side-panel.tsx";

/** A live session: its rows, its questions, and the prompt. */
export function SessionPage({ id }: { readonly id: string }) {
  const follower = useMemo(() => new SessionFollower(id), [id]);
  useEffect(() => () => follower.close(), [follower]);
  const { view, hasMore, error } = useStore(follower.shown);
  const items = useStore(inbox);
  const [failure, setFailure] = useState<string>();
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const heightBefore = useRef<number | undefined>(undefined);

  // New rows keep the end in sight; earlier rows keep the place.
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box) return;
    if (heightBefore.current !== undefined) {
      box.scrollTop += box.scrollHeight - heightBefore.current;
      heightBefore.current = undefined;
    } else if (isAtEnd.current) box.scrollTop = box.scrollHeight;
  });

  // Rows get their height when they are first drawn, and pictures when they arrive.
  const isReady = view !== undefined;
  useEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) box.scrollTop = box.scrollHeight;
    });
    for (const child of box.children) observer.observe(child);
    return () => observer.disconnect();
  }, [isReady, view?.approvals.length]);

  const onScroll = (): void => {
    const box = scroller.current;
    if (!box) return;
    isAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < 60;
    if (box.scrollTop < 200 && hasMore && heightBefore.current === undefined) {
      heightBefore.current = box.scrollHeight;
      void follower.loadEarlier();
    }
  };

  const send = (path: string, body: object = {}): Promise<unknown> =>
    post(`/api/sessions/${id}/${path}`, body).then(
      () => setFailure(undefined),
      (thrown: Error) => setFailure(thrown.message),
    );

  if (!view) return <Failure error={error} />;
  const own = items.filter(({ session }) => session === id);
  const digestOf = (request: string) => own.find((item) => item.request.id === request)?.digest;
  // The start of a server of the project is no call, so it has no row.
  const known = new Set(view.approvals.map((request) => request.id));
  const approvals = [...own.flatMap(({ request }) => (known.has(request.id) ? [] : [request])), ...view.approvals];
  return (
    <div class="session">
      <SessionHead id={id} view={view} onSend={send} />
      <div class="session-main">
        <section class="stream" aria-label="Conversation">
          <div class="stream-scroll" ref={scroller} onScroll={onScroll} role="log" aria-label="Rows of the session">
            {hasMore && <p class="dim center">Earlier rows load as you scroll up.</p>}
            {view.rows.length === 0 && <p class="empty">No messages yet. Write a prompt below.</p>}
            <Rows rows={view.rows} />
            {approvals.map((request) => {
              const digest = digestOf(request.id);
              return <ApprovalCard key={request.id} request={request} {...(digest === undefined ? {} : { digest })} />;
            })}
            <div>
              <HeldChanges session={id} look={view.status} />
            </div>
            {view.status === "working" && approvals.length === 0 && <p class="working">Working</p>}
          </div>
          <Failure error={failure} />
          {view.queue.map((prompt) => (
            <p key={prompt.id} class="queued">
              waits: {clean(prompt.text)}
              <button type="button" class="link" onClick={() => void send("unqueue", { prompt: prompt.id })}>
                withdraw
              </button>
            </p>
          ))}
          <Composer id={id} isWorking={view.status === "working"} onSend={send} />
        </section>
        <CanvasPanel id={id} />
        <SidePanel id={id} view={view} />
      </div>
    </div>
  );
}
