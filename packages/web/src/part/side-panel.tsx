import { type AgentView, isEnded, type SessionView } from "../../../haft/src/view/index.ts";
import { pathTo } from "../lib/router.ts";
import { clean, counted } from "./bits.tsx";
import { Shown } from "./display.tsx";

/** Work of the session at a glance: its list of tasks, its agents and jobs. */
export function SidePanel({
  id,
  view: { rows, todos, agents, jobs, usage, status },
}: {
  readonly id: string;
  readonly view: SessionView;
}) {
  const isOver = ({ rowId }: AgentView): boolean => {
    const row = rows.find((one) => one.id === rowId);
    return row?.kind === "call" ? isEnded(row) : status === "idle";
  };
  const isEmpty = todos.length + agents.length + jobs.length === 0;
  return (
    <aside class="side" aria-label="Overview">
      {todos.length > 0 && (
        <section>
          <h2>Tasks</h2>
          <Shown display={{ kind: "todos", todos }} />
        </section>
      )}
      {agents.length > 0 && (
        <section>
          <h2>Agents</h2>
          <ul>
            {agents.map((agent) => (
              <li key={agent.id}>
                <b>{clean(agent.path.join(" › "))}</b>{" "}
                <span class="dim">
                  {isOver(agent) ? `ended, ${counted(agent.calls, "call")}` : clean(agent.activity)}
                </span>
              </li>
            ))}
          </ul>
          <a href={pathTo("s", id, "agents")}>Budgets and results</a>
        </section>
      )}
      {jobs.length > 0 && (
        <section>
          <h2>Jobs</h2>
          <ul>
            {jobs.map((job) => (
              <li key={job.id}>
                {clean(job.title)} <span class="tag">{clean(job.status)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section hidden={(usage.inputTokens ?? 0) === 0}>
        <h2>Tokens</h2>
        <dl class="facts">
          <dt>in</dt>
          <dd>{(usage.inputTokens ?? 0).toLocaleString("en")}</dd>
          <dt>cached</dt>
          <dd>{(usage.cachedTokens ?? 0).toLocaleString("en")}</dd>
          <dt>out</dt>
          <dd>{(usage.outputTokens ?? 0).toLocaleString("en")}</dd>
        </dl>
      </section>
      {isEmpty && <p class="dim">The session's tasks, agents and jobs appear here.</p>}
    </aside>
  );
}
