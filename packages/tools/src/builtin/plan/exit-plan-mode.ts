import { ask, type CallContext, defineTool, fail, type Plans, type Question, state, text } from "@haft/core/tool";
import { needs, portOf } from "../support/session/needs.ts";

const input = {
  type: "object",
  properties: {
    plan: {
      type: "string",
      minLength: 1,
      description: "The plan for the user, as Markdown: what you will do, and how it is checked.",
    },
    effects: {
      type: "array",
      maxItems: 100,
      items: { type: "string", minLength: 1, maxLength: 1000 },
      description:
        'The effects of the plan, as rules: "write(src/auth/**)", "Bash(npm test)", "connect(registry.example.org)". After approval these run without asking; everything else asks. Keep them as narrow as the plan allows.',
    },
  },
  required: ["plan"],
  additionalProperties: false,
} as const;

const needsPlans = needs("plans", "this agent cannot change plan mode");

/** The decision on a plan. */
interface ExitPlanModeOutput {
  readonly plan: string;
  readonly effects: readonly string[];
  /** The mode in force now. */
  readonly mode: string;
  /** The user has changed the plan or its effects. */
  readonly edited: boolean;
  /** The user's message with the approval. */
  readonly message?: string;
}

/** ExitPlanMode: shows a plan with its effects; the user approves, edits or rejects it. */
export const exitPlanMode = defineTool({
  name: "ExitPlanMode",
  aliases: ["ExitPlanModeV2", "exit_plan_mode", "plan_exit"],
  title: "Present the plan",
  searchHint: "plan ready approve exit plan mode start work",
  description: [
    "Shows the user your plan and the effects that it needs. Approved: plan mode ends and exactly these effects are granted for this run. Rejected: plan mode goes on, and you are told why.",
    "Call it when the plan is complete. Do not ask in words whether the plan is all right.",
  ].join("\n"),
  input,
  offer: "always",
  can: ["ask", "state"],
  when: (offer) => (offer.mode === "plan" ? needsPlans(offer) : { absent: "plan mode is not on" }),
  effects: () => [ask("A plan needs approval."), state("plan")],
  validate({ effects = [] }, { ports }) {
    const [first, ...more] = ports.plans?.problems(effects) ?? [];
    return first === undefined
      ? undefined
      : { message: [first, ...more].join("\n"), hint: "Correct the list of effects." };
  },
  describe: () => ({ title: "Approve the plan", activity: "Waiting for the plan to be approved" }),
  async run({ plan, effects = [] }, ctx): Promise<ExitPlanModeOutput> {
    const plans = portOf(ctx.ports, "plans");
    const { approved, message } = await agreedPlan({ plan, effects }, plans, ctx);
    const edited = approved.plan !== plan || approved.effects.join("\n") !== effects.join("\n");
    return { ...approved, mode: plans.leave(approved.effects), edited, ...(message === undefined ? {} : { message }) };
  },
  toModel: ({ plan, effects, mode, edited, message }) => [
    text(
      [
        `The user approved the plan. Mode ${mode} is on; carry the plan out.`,
        ...(message ? [`They said: ${message}`] : []),
        effects.length === 0
          ? "No effect is granted with it."
          : `Granted for this run: ${effects.join(", ")}. Anything else asks.`,
        ...(edited ? ["", "The user changed the plan. This is the approved one:", plan] : []),
      ].join("\n"),
    ),
  ],
  // People keep the plan that they approved in sight.
  toDisplay: ({ plan }) => ({ kind: "message", text: plan }),
});

interface Approved {
  readonly plan: string;
  readonly effects: readonly string[];
}

/** Asks about a plan until it is approved as it was shown, or an answer says that its change counts at once. */
async function agreedPlan(
  plan: Approved,
  plans: Plans,
  ctx: CallContext,
): Promise<{ readonly approved: Approved; readonly message?: string }> {
  let shown = plan;
  for (;;) {
    const wrong = plans.problems(shown.effects).join(" ");
    const { input: said, review, message } = await ctx.ask(questionOf(shown, wrong));
    const approved = approvedOf(said, shown);
    const problems = plans.problems(approved.effects);
    if (review) shown = approved;
    else if (problems.length === 0) return { approved, ...(message === undefined ? {} : { message }) };
    else
      fail(
        "validation_failed",
        `The plan was approved with invalid effects: ${problems.join(" ")}`,
        "Correct the effects and present the plan again.",
      );
  }
}

const UNGRANTED = "no effects yet; edit the plan to add some, for example write(src/a.ts) or Bash(npm test)";

const questionOf = (input: Approved, wrong: string): Question => ({
  title: "Approve the plan",
  input,
  show: {
    kind: "group",
    title: "Approve the plan",
    items: [
      { kind: "markdown", text: input.plan },
      ...(input.effects.length === 0
        ? [{ kind: "text", text: "It grants nothing: every change will be asked about." } as const]
        : []),
      // People who edit the plan see its list, also an empty one.
      {
        kind: "table",
        columns: [input.effects.length === 0 ? UNGRANTED : "granted for this run if you say yes"],
        rows: input.effects.map((effect) => [effect]),
      },
    ],
  },
  why:
    wrong === ""
      ? "Your yes ends plan mode and grants what is listed, for this run only. Everything else asks as usual."
      : `The list cannot be granted: ${wrong}`,
});

/** The plan after the person's edits. Malformed fields fall back to what was shown. */
function approvedOf(said: unknown, shown: Approved): Approved {
  const { plan, effects } = (said ?? {}) as Readonly<Record<keyof Approved, unknown>>;
  const isList = Array.isArray(effects) && effects.every((effect) => typeof effect === "string");
  return {
    plan: typeof plan === "string" && plan.trim() !== "" ? plan : shown.plan,
    effects: isList ? (effects as string[]) : shown.effects,
  };
}
