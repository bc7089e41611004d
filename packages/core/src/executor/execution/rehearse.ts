import { activityOf, type Display, type Effect, type Result, text, traitsOf } from "../../tool/index.ts";
import type { Flight, Stage } from "../flight.ts";
import { previewOf } from "../stages/approve.ts";

/**
 * In a dry run, a call that would change something shows it and ends here. Those that only look run as ever; commands run
 * in a view of the workspace, and show what they changed there.
 */
export const rehearse: Stage = async (flight: Flight) => {
  if (!flight.batch.dryRun || flight.traits!.isReadOnly || flight.effects.some(isCommand)) return;
  return { result: rehearsed(flight, await previewOf(flight)) };
};

const isCommand = (effect: Effect): boolean => effect.do === "run" || effect.do === "unknown";

function rehearsed(flight: Flight, display: Display): Result {
  const { decision, reason } = flight.decision!;
  const asks = decision === "ask" ? ` It would be asked about: ${reason}` : "";
  const changes = flight.effects.filter((effect) => !traitsOf([effect]).isReadOnly);
  const diff = display.kind === "diff" ? `\n${display.unified}` : "";
  return {
    content: [text(`Dry run: nothing was changed. ${activityOf(changes)}.${asks}${diff}`)],
    display,
    metadata: { dryRun: true },
  };
}
