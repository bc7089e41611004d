import type { ApprovalRequest, Asker } from "@haft/core/approval";
import type { Effect, Rehearsal } from "@haft/core/tool";
import { userMessage } from "../../agent/index.ts";
import { createHaft } from "../../app/create-haft.ts";
import type { Haft } from "../../app/haft.ts";
import { runOn } from "../run-on.ts";
import type { AgentSessionOptions } from "../session.ts";
import { modelChoice } from "../session-model.ts";

/** Most messages of the model, and most milliseconds, for one rehearsal. */
const MOST_TURNS = 30;
const MOST_MS = 5 * 60_000;

/**
 * Runs a prompt without real effects: files and commands change a view that is discarded, and nothing leaves the
 * machine. Returns rules for everything that it would have asked.
 */
export async function rehearse(prompt: string, options: AgentSessionOptions): Promise<Rehearsal> {
  const grant = new Set<string>();
  const ungranted = new Set<string>();
  const note = (title: string, rules: readonly string[] | undefined): void => {
    if (rules) for (const rule of rules) grant.add(rule);
    else ungranted.add(title);
  };
  const ask: Asker = async (request) => {
    note(request.title, rulesFor(request));
    return request.effects.length > 0 && request.effects.every(staysHere)
      ? { behavior: "allow" }
      : { behavior: "deny", message: "This is a rehearsal: continue as if it had worked." };
  };
  const { model: given, resume: _, fork: __, forkAt: _at, session: ___, maxTurns: ____, wrapModel, ...own } = options;
  const name = typeof given === "object" ? given.name : given;
  const haft = await createHaft({
    ...own,
    ask,
    mode: rehearsalMode(options.mode),
    rules: { ...options.rules, allow: [] },
    ...(name === undefined ? {} : { model: name }),
  });
  // A dry run of a change ends before anybody is asked, so what would have been asked is in its decision.
  haft.on((event) => {
    if (event.type !== "tool:execution:complete" || !event.outcome.dryRun) return;
    const { decision } = event.outcome;
    if (decision?.decision === "ask") note(event.title, decision.suggestions[0]?.rules);
  });
  try {
    const models = modelChoice({
      ...{ haft, env: options.env ?? process.env, byKey: undefined, model: given, wrapModel },
      ...(options.openModel ? { openModel: options.openModel } : {}),
    });
    await runOn({
      haft: rehearsing(haft),
      model: await models.open(),
      messages: [userMessage(prompt)],
      signal: AbortSignal.timeout(MOST_MS),
      maxTurns: MOST_TURNS,
      onEvent: () => {},
    });
  } finally {
    await haft[Symbol.asyncDispose]();
  }
  return { grant: [...grant].sort(), ungranted: [...ungranted].sort() };
}

/** A mode that asks about every change, so that each is seen. */
export const rehearsalMode = (mode: AgentSessionOptions["mode"]): NonNullable<AgentSessionOptions["mode"]> =>
  mode === "plan" || mode === "dontAsk" ? mode : "default";

/** The narrowest rules that would have avoided the question. */
const rulesFor = ({ suggestions, form }: ApprovalRequest): readonly string[] | undefined =>
  form ? undefined : suggestions[0]?.rules;

/** Whether a dry run keeps an effect from the world outside. */
const staysHere = ({ do: word }: Effect): boolean => word === "write" || word === "run";

/** The same Haft, with every call as a dry run. Other agents are not started: their calls would be real. */
function rehearsing(haft: Haft): Haft {
  const own = haft.with({ only: ({ tool }) => !tool.can?.some((word) => word === "delegate") });
  return new Proxy(own, {
    get(target, key) {
      if (key === "open") return (batch: object) => target.open({ ...batch, dryRun: true });
      if (key === "run") return (calls: never, batch: object) => target.run(calls, { ...batch, dryRun: true });
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
