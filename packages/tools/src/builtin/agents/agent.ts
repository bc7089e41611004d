import {
  AGENT_ISOLATIONS,
  type AgentReport,
  type AgentType,
  defineTool,
  delegate,
  type OfferContext,
} from "@haft/core/tool";
import { answered, budgetFields, needsAgents, reportText } from "../support/session/agent-report.ts";
import { portOf } from "../support/session/needs.ts";

const DEFAULT_TYPE = "general";

const input = {
  type: "object",
  properties: {
    description: { type: "string", minLength: 1, maxLength: 200, description: "Its task in three to five words." },
    prompt: {
      type: "string",
      minLength: 1,
      description: "The whole task. The agent does not see your conversation and cannot ask questions.",
    },
    subagent_type: { type: "string", minLength: 1, description: `The kind of agent. Default ${DEFAULT_TYPE}.` },
    run_in_background: {
      type: "boolean",
      description: "Run in the background; you get a message when it ends.",
    },
    name: { type: "string", pattern: "^[\\w.-]{1,64}$", description: "A name for messages to it." },
    model: { type: "string", minLength: 1, description: "Another model. Default: yours." },
    effects: {
      type: "array",
      items: { type: "string", minLength: 1 },
      description: 'Its rights, as rules: ["write(docs/**)", "Bash(npm test)"]. Default: your rights.',
    },
    isolation: {
      type: "string",
      enum: AGENT_ISOLATIONS,
      description:
        "base: works in a copy that is merged at its end. none: works in your folder. Default: a copy if several agents write.",
    },
    ...budgetFields,
    team_name: { type: "string", minLength: 1, description: "The team that it joins." },
  },
  required: ["description", "prompt"],
  additionalProperties: false,
} as const;

/** Agent: does part of the work in its own context and returns only the answer. */
export const agent = defineTool({
  name: "Agent",
  aliases: ["Task", "invoke_agent", "spawn_agent"],
  title: "Agent",
  searchHint: "subagent delegate task explore plan parallel background",
  rules: { specifier: "agent", fields: ["mode", "effort"] },
  description,
  input,
  can: ["delegate"],
  when: needsAgents,
  // A rule about one of its names means the agent, regardless of which name the model wrote.
  effects: ({ subagent_type: type = DEFAULT_TYPE }, { ports }) => namesOf(type, ports.agents?.types()).map(delegate),
  describe: ({ description: what, subagent_type: type = DEFAULT_TYPE }) => ({
    title: what ? `${type}: ${what}` : "Agent",
    activity: what ? `${type}: ${what}` : "An agent works",
  }),
  async run(wish, ctx): Promise<AgentReport> {
    const { description: what, prompt, subagent_type: type = DEFAULT_TYPE, run_in_background: background } = wish;
    const {
      name,
      model,
      effects,
      isolation,
      team_name: team,
      tokens,
      calls,
      spawns,
      money,
      max_turns: maxTurns,
    } = wish;
    const report = await portOf(ctx.ports, "agents").start({
      ...{ type, prompt, description: what, signal: ctx.signal, budget: definedOnly({ tokens, calls, spawns, money }) },
      ...definedOnly({ name, model, isolation, team, effects, maxTurns, background }),
      onNews(news) {
        if (news.type === "call") ctx.progress({ title: news.title });
      },
    });
    ctx.progress({ title: `${type}: ${what}` });
    return answered(report);
  },
  toModel: reportText,
  sources: ({ sources = [] }) => sources,
  toDisplay: ({ text }) => ({ kind: "markdown", text }),
});

function namesOf(type: string, types: readonly AgentType[] = []): readonly string[] {
  const known = types.find(({ name }) => name === type) ?? types.find(({ aliases }) => aliases?.includes(type));
  return [...new Set([type, ...(known ? [known.name, ...(known.aliases ?? [])] : [])])];
}

function description({ agents = [] }: OfferContext): string {
  return [
    "Gives a task to another agent with its own context; only its answer comes back. Several in one turn run in parallel.",
    "Use it for wide searches and independent parts. It has at most your rights, and a part of your budget.",
    "Kinds:",
    ...agents.map(({ name, description: what }) => `- ${name}: ${what}`),
  ].join("\n");
}

const definedOnly = <T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
