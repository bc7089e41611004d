import type { Absent, OfferContext } from "@haft/core/tool";

/** Only the main agent talks to the person: a subagent answers the agent that started it. */
export const onlyTheMainAgent = ({ agent }: OfferContext): true | Absent =>
  agent.parent === undefined || { absent: "a subagent cannot ask; it puts questions into its answer" };
