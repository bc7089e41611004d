import { effectContext, type FoundRun, type Stage } from "../call-run.ts";
import { blindPorts } from "../execution/bound-ports.ts";

/** Adds derived fields for hooks, interfaces and the log. The model's own input stays unchanged. */
export const normalise: Stage<FoundRun> = (callRun) => {
  const { tool } = callRun.entry;
  const plain = (typeof callRun.input === "object" && callRun.input !== null ? callRun.input : {}) as object;
  const derived = tool.observe?.(callRun.input, effectContext(callRun, blindPorts(callRun.machine)));
  callRun.observed = derived ? { ...plain, ...derived } : (plain as Record<string, unknown>);
};
