import { counted } from "@haft/core/tool";
import { oneLine } from "../../draw/sanitize.ts";
import { columnAfter, paint, type Style } from "../../draw/style.ts";
import type { SessionView } from "../../view/index.ts";

export interface StatusFacts {
  readonly model: string | undefined;
  readonly mode: string;
  /** The kind of agent that the session runs as. */
  readonly agent?: string | undefined;
  readonly folder: string;
  readonly branch: string | undefined;
  /** Dollars spent so far, where prices are known. */
  readonly money?: number | undefined;
  readonly view: Pick<SessionView, "usage" | "jobs" | "agents">;
}

/** The facts about a session in one line. On a narrow screen the less important ones go first. */
export function statusLine({ model, mode, agent, folder, branch, money, view }: StatusFacts, style: Style): string {
  const { contextTokens, inputTokens = 0, outputTokens = 0 } = view.usage;
  const jobs = view.jobs.filter(({ status }) => status === "running").length;
  const parts: readonly (readonly [text: string, rank: number])[] = [
    [model === undefined ? "no model" : oneLine(model), 1],
    [`mode ${mode}`, 0],
    [agent === undefined ? "" : `agent ${oneLine(agent)}`, 1],
    [contextTokens === undefined ? "" : `context ${tokens(contextTokens)}`, 2],
    [inputTokens + outputTokens === 0 ? "" : `↑${tokens(inputTokens)} ↓${tokens(outputTokens)}`, 5],
    [money === undefined || money === 0 ? "" : dollars(money), 3],
    [jobs === 0 ? "" : counted(jobs, "job"), 1],
    [oneLine(folder), 4],
    [branch === undefined ? "" : oneLine(branch), 3],
  ];
  let shown = parts.filter(([text]) => text !== "");
  const line = () => shown.map(([text]) => text).join(" · ");
  while (shown.length > 1 && columnAfter(line(), 2) > style.width - 1) {
    const worst = Math.max(...shown.map(([, rank]) => rank));
    shown = shown.filter(([, rank]) => rank !== worst);
  }
  return paint(style, "dim", `  ${line()}`);
}

/** Two digits that mean something: $0.0042, $1.30. */
export const dollars = (money: number): string =>
  `$${money >= 0.1 ? money.toFixed(2) : money.toFixed(Math.min(6, 1 - Math.floor(Math.log10(money))))}`;

/** 12345 as 12.3k. */
export const tokens = (count: number): string =>
  count < 1000
    ? String(count)
    : count < 1e6
      ? `${(count / 1000).toFixed(count < 1e4 ? 1 : 0)}k`
      : `${(count / 1e6).toFixed(1)}M`;
