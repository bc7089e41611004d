import type { Grant } from "../../../policy/index.ts";
import type { AgentRequest, Agents } from "../../../tool/index.ts";
import { undeclared } from "./undeclared.ts";

/** While a call only waits for an agent, others may run in its slot: the agent's own calls need slots, too. */
export type Lending = <T>(wait: Promise<T>) => Promise<T>;

/** Agents as one call gets them. Starting one needs its `delegate`, managing them the state `jobs`, teams the state `teams`. */
export function boundAgents(
  raw: Agents,
  call: NonNullable<AgentRequest["call"]>,
  { effects }: Grant,
  lending: Lending,
): Agents {
  const { id, tool, turn } = call;
  function has(of: string, change: boolean): void {
    const may = effects.some((effect) => effect.do === "state" && effect.of === of && (effect.change || !change));
    if (!may) undeclared(tool, `${change ? "change" : "look at"} the agents of this session`);
  }
  return {
    types: () => raw.types(),
    async start(request) {
      if (!effects.some((effect) => effect.do === "delegate" && effect.agent === request.type))
        undeclared(tool, `start the agent ${request.type}`);
      return lending(raw.start({ ...request, call: { id, tool, turn } }));
    },
    find: (id) => raw.find(id),
    list() {
      has("jobs", false);
      return raw.list();
    },
    async wait(id, limit) {
      has("jobs", false);
      return lending(raw.wait(id, limit));
    },
    async stop(id) {
      has("jobs", true);
      return raw.stop(id);
    },
    async send(to, message) {
      has("messages", true);
      return raw.send(to, message);
    },
    async createTeam(name) {
      has("teams", true);
      return raw.createTeam(name);
    },
    async deleteTeam(name) {
      has("teams", true);
      return raw.deleteTeam(name);
    },
  };
}
