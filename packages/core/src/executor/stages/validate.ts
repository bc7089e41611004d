import { effectContext, type FoundRun, refuse, type Stage, type Verdict } from "../call-run.ts";
import { blindPorts } from "../execution/bound-ports.ts";

/** Runs the tool's own checks, before anyone is asked. They may see where things are, but not read them. */
export const validate: Stage<FoundRun> = (callRun) => (callRun.entry.tool.validate ? check(callRun) : undefined);

async function check(callRun: FoundRun): Promise<Verdict> {
  const { tool } = callRun.entry;
  const problem = await tool.validate?.(callRun.input, effectContext(callRun, blindPorts(callRun.machine)));
  if (!problem) return;
  return refuse({
    code: problem.code ?? "validation_failed",
    message: problem.message,
    ...(problem.hint === undefined ? {} : { hint: problem.hint }),
  });
}
