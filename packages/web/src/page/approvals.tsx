import { questionHead } from "@haft/core/approval";
import { useState } from "preact/hooks";
import { post } from "../lib/api.ts";
import { inbox, sessions, settled } from "../lib/inbox.ts";
import type { InboxItem } from "../lib/model.ts";
import { pathTo } from "../lib/router.ts";
import { useStore } from "../lib/store.ts";
import { ApprovalCard } from "../part/approval.tsx";
import { clean, Empty, Failure, Head } from "../part/bits.tsx";

/** The session, schedule or folder that a question comes from. */
const Origin = ({ item: { session, folder, from, isWaiting } }: { readonly item: InboxItem }) => {
  const title = useStore(sessions).find(({ id }) => id === session)?.title;
  return (
    <>
      {from && `${from.kind === "schedule" ? "schedule" : "session"} ${clean(from.label ?? session)} · `}
      {folder === undefined ? <a href={pathTo("s", session)}>{clean(title || "session")}</a> : clean(folder)}
      {!isWaiting && <span class="tag">nobody waits: an answer applies when the call is made again</span>}
    </>
  );
};

/** Every question of every session. Questions for the same effects can be answered together. */
export function ApprovalsPage() {
  const items = useStore(inbox);
  const ended = useStore(settled);
  const [error, setError] = useState<string>();
  const alike = [...Map.groupBy(items, ({ effectsKey }) => effectsKey).values()].filter((group) => group.length > 1);

  const answerAll = async (group: readonly InboxItem[], behavior: "allow" | "deny"): Promise<void> => {
    const requests = group.map(({ request, digest }) => ({ id: request.id, digest }));
    await post("/api/approvals/answer", { requests, answer: { behavior } }).then(
      () => setError(undefined),
      (thrown: Error) => setError(thrown.message),
    );
  };

  return (
    <div class="page">
      <Head title="Approvals">
        <span class="dim">{items.length === 0 ? "" : `${items.length} waiting`}</span>
      </Head>
      <Failure error={error} />
      {alike.map((group) => (
        <div key={group[0]!.effectsKey} class="banner banner-group">
          <p>
            {group.length} questions ask for the same effects: <b>{clean(questionHead(group[0]!.request))}</b>
          </p>
          <div class="answers">
            <button type="button" class="deny" onClick={() => void answerAll(group, "deny")}>
              Deny all
            </button>
            {!group[0]!.request.destructive && (
              <button type="button" class="allow" onClick={() => void answerAll(group, "allow")}>
                Allow all once
              </button>
            )}
          </div>
        </div>
      ))}
      {items.length === 0 && (
        <Empty>No agent is waiting for you. Questions of all sessions appear here immediately.</Empty>
      )}
      <div class="approvals">
        {items.map((item) => (
          <ApprovalCard
            key={item.request.id}
            request={item.request}
            digest={item.digest}
            origin={<Origin item={item} />}
          />
        ))}
      </div>
      {ended.length > 0 && (
        <section>
          <h2>Just answered</h2>
          <ul class="plain-list">
            {ended.map(({ id, title, by, behavior }) => (
              <li key={id}>
                {clean(title)}{" "}
                <span class="dim">
                  {behavior === undefined
                    ? "ended without an answer"
                    : `${behavior === "allow" ? "allowed" : "denied"} by ${clean(by ?? "")}`}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
