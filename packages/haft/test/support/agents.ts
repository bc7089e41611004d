import { join } from "node:path";
import type { ApprovalRequest } from "@haft/core/approval";
import type { Model, ModelEvent, ModelRequest } from "../../src/agent/model.ts";
import type { Haft, HaftOptions } from "../../src/app/haft.ts";
import { calls, finish, type ScriptStep, says } from "./scripted-model.ts";
import type { sessionPlaces } from "./session-places.ts";

export interface TreeModel extends Model {
  readonly requests: ModelRequest[];
}

/** The next step of an agent's model: a turn, or the last words. */
export type Script = (
  request: ModelRequest,
  turn: number,
) => readonly ScriptStep[] | string | Promise<readonly ScriptStep[] | string>;

/** A model that many agents share: each is known by the first words of its prompt, and follows its own script. */
export function treeModel(scripts: Readonly<Record<string, Script>>, name = "test/scripted"): TreeModel {
  const requests: ModelRequest[] = [];
  return {
    name,
    requests,
    async *step(request) {
      requests.push(request);
      const prompt = promptOf(request);
      const key = Object.keys(scripts).find((one) => prompt.startsWith(one)) ?? "";
      const turn = request.messages.filter(({ role }) => role === "assistant").length;
      const next =
        request.tools.length === 0 ? "last words" : ((await scripts[key]?.(request, turn)) ?? "Nothing to say.");
      for (const step of typeof next === "string" ? says(next) : next) {
        if (typeof step === "function") await step();
        else yield step;
      }
    },
  };
}

export function promptOf({ messages }: ModelRequest): string {
  const [first] = messages;
  const part = first?.role === "user" ? first.content[0] : undefined;
  return part?.type === "text" ? part.text : "";
}

/** One turn that makes these calls. */
export const turn = (...list: readonly (readonly [tool: string, input: object])[]): ModelEvent[] => [
  ...list.map(([tool, input], index) => calls(`k${index}`, tool, input)),
  finish(),
];

/** The answers of the first scripted turns, then the last words. */
export const script =
  (...steps: readonly (readonly ScriptStep[] | string)[]): Script =>
  (_, at) =>
    steps[at] ?? "Done.";

/** A model that never answers by itself. */
export const endless: Script = ({ signal }) => [
  () =>
    new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    }),
  { type: "error", error: new Error("aborted") },
];

/**
 * A session whose agents all speak with one model; what is asked is written down and answered by `ask`. Its state is in the
 * usual folder of the home, which is private: agents work below it.
 */
export async function agentSession(
  places: ReturnType<typeof sessionPlaces>,
  model: Model,
  more: Omit<HaftOptions, "ask"> & { readonly ask?: HaftOptions["ask"] } = {},
) {
  const place = places.make();
  const asked: ApprovalRequest[] = [];
  const { ask, ...options } = more;
  const haft: Haft = await places.open({
    ...place.options,
    stateDir: join(place.base, "home/.local/state/haft"),
    model: model.name,
    openModel: () => model,
    ...(typeof ask === "function"
      ? {
          ask: (request, signal) => {
            asked.push(request);
            return ask(request, signal);
          },
        }
      : ask
        ? { ask }
        : {}),
    ...options,
  });
  return { haft, asked, ...place };
}
