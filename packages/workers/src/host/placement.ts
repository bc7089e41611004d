import { type Effect, isWithin } from "@haft/core/tool";
import { CONTRACT } from "../job/job.ts";
import type { WorkerInfo } from "../redis/roster.ts";

/** A rule about where calls run. The first that fits a call counts. */
export interface PlacementRule {
  /** Only calls of this tool. */
  readonly tool?: string;
  /** Only calls with an effect of this kind. */
  readonly effect?: Effect["do"];
  /** Only calls with a command whose text begins so. */
  readonly command?: string;
  /** `host`: they run where the agent runs. Or the labels that a worker must have. */
  readonly on: "host" | readonly string[];
}

/** The needs of a call. */
export interface Needs {
  readonly labels: readonly string[];
  readonly cwd: string;
  readonly tool: string;
  readonly connects: boolean;
  /** Only a worker with this journal can undo what an earlier attempt did. */
  readonly journal?: string;
  /** The mark of the host's key: workers with another one refuse its jobs. */
  readonly key?: string;
  /** It uses state of the session that one worker holds, so all such calls of the session go to the same worker. */
  readonly isHeld?: boolean;
}

/** The queue of the workers of one kind, or one worker. */
export type Target = { readonly queue: string } | { readonly worker: string };

/** Effects on files, programs and the network. All others concern the session itself and stay with it. */
const ELSEWHERE: ReadonlySet<Effect["do"]> = new Set(["read", "write", "run", "connect", "unknown"]);

/** The needs of a call, by its effects and the rules; `undefined`: it runs on the host. */
export function needsOf(
  { tool, effects, cwd }: { readonly tool: string; readonly effects: readonly Effect[]; readonly cwd: string },
  rules: readonly PlacementRule[],
): Needs | undefined {
  if (effects.length === 0 || !effects.every((effect) => goesElsewhere(effect) || usesHeldState(effect)))
    return undefined;
  const isHeld = effects.some(usesHeldState);
  const rule = rules.find((one) => fits(one, tool, effects));
  // A browser stays with its session, unless a rule says which workers have one.
  if (rule?.on === "host" || (isHeld && !rule)) return undefined;
  const connects = effects.some(({ do: word }) => word === "connect");
  return { labels: rule?.on ?? [], cwd, tool, connects, ...(isHeld ? { isHeld } : {}) };
}

/** Whether the effect is on state of a session that a worker can hold: its browser. */
export const usesHeldState = (effect: Effect): boolean => effect.do === "state" && effect.of === "browser";

/** A background job outlives its call, so it belongs to the session. */
const goesElsewhere = (effect: Effect): boolean =>
  ELSEWHERE.has(effect.do) && !(effect.do === "run" && (effect.background || effect.direct));

const fits = ({ tool, effect, command }: PlacementRule, name: string, effects: readonly Effect[]): boolean =>
  (tool === undefined || tool === name) &&
  (effect === undefined || effects.some(({ do: word }) => word === effect)) &&
  (command === undefined || effects.some((one) => one.do === "run" && one.text.startsWith(command)));

/** Whether a worker may run such a call. */
export const suits = (worker: WorkerInfo, { labels, cwd, tool, connects, journal, key }: Needs): boolean =>
  !worker.draining &&
  worker.contract >= CONTRACT &&
  worker.tools.includes(tool) &&
  labels.every((label) => worker.labels.includes(label)) &&
  !(connects && worker.labels.includes("no-network")) &&
  (journal === undefined || worker.journal === journal) &&
  hasKey(worker, key) &&
  worker.workspaces.some((folder) => isWithin(folder, cwd));

const hasKey = ({ key }: WorkerInfo, wanted: string | undefined): boolean =>
  key === undefined || wanted === undefined || key === wanted;

/** The suitable workers that waste least: those with the fewest labels that the call does not need. */
export function chooseWorkers(workers: readonly WorkerInfo[], needs: Needs): readonly WorkerInfo[] {
  const suitable = workers.filter((worker) => suits(worker, needs));
  const spare = (worker: WorkerInfo): number => worker.labels.filter((label) => !needs.labels.includes(label)).length;
  const least = Math.min(...suitable.map(spare));
  return suitable.filter((worker) => spare(worker) === least);
}

/** Why no worker is suitable, and what to do about it. */
export function missingWorker(workers: readonly WorkerInfo[], needs: Needs): { message: string; hint: string } {
  const { labels, cwd, key } = needs;
  const wanted = `${labels.length > 0 ? `the label ${labels.join(", ")} and ` : ""}the workspace ${cwd}`;
  const start = `haft worker --queue … --workspace ${cwd}${labels.map((label) => ` --label ${label}`).join("")}`;
  if (workers.length === 0) return { message: "No worker takes calls from the queue.", hint: `Start one: ${start}` };
  const strangers = workers.filter((worker) => !hasKey(worker, key)).length;
  if (strangers === workers.length)
    return {
      message: `None of ${workers.length} workers has the key of this host.`,
      hint: "Copy one key file to every host and worker, or set the same HAFT_QUEUE_KEY.",
    };
  const older = workers.filter(({ contract }) => contract < CONTRACT).length;
  const leaving = workers.filter(({ draining }) => draining).length;
  const offline = needs.connects ? workers.filter((worker) => worker.labels.includes("no-network")).length : 0;
  const why = [
    older > 0 ? `${older} of an older version` : "",
    strangers > 0 ? `${strangers} with another key` : "",
    leaving > 0 ? `${leaving} being drained` : "",
    offline > 0 ? `${offline} with the label no-network, and the call needs the network` : "",
  ].filter((words) => words !== "");
  return {
    message: `None of ${workers.length} workers has ${wanted}${why.length > 0 ? ` (${why.join(", ")})` : ""}.`,
    hint: `\`haft workers\` lists them. Start one: ${start}`,
  };
}
