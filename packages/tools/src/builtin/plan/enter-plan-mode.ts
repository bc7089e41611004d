import { ask, defineTool, state, text } from "@haft/core/tool";
import { needs, portOf } from "../support/session/needs.ts";

const input = { type: "object", properties: {}, additionalProperties: false } as const;

const needsPlans = needs("plans", "this agent cannot change plan mode");

/** EnterPlanMode: forbids changes until the user has approved a plan. */
export const enterPlanMode = defineTool({
  name: "EnterPlanMode",
  aliases: ["enter_plan_mode"],
  title: "Enter plan mode",
  searchHint: "plan mode design before changing explore first",
  description: [
    "Asks the user to enter plan mode: you read and write a plan; nothing changes until they approve it with ExitPlanMode.",
    "Worth it if there are several ways or many files will change. Small, clear work needs no plan.",
  ].join("\n"),
  input,
  offer: "deferred",
  can: ["ask", "state"],
  when: (offer) => (offer.mode === "plan" ? { absent: "plan mode is on" } : needsPlans(offer)),
  effects: () => [ask("The model wants to plan first."), state("plan")],
  describe: () => ({ title: "Enter plan mode", activity: "Waiting for an answer" }),
  async run(_, ctx): Promise<{ readonly mode: "plan" }> {
    await ctx.ask({
      title: "Enter plan mode",
      show: { kind: "text", text: "Nothing is changed until you have approved a plan." },
      why: "The agent wants to plan before it changes anything.",
    });
    portOf(ctx.ports, "plans").enter();
    return { mode: "plan" };
  },
  toModel: () => [
    text("Plan mode is on: you can only read. Explore, then call ExitPlanMode with the plan and the effects it needs."),
  ],
});
