import { activityOf, type Display, type Effect, failure, type Result, text, traitsOf } from "../../tool/index.ts";
import type { Flight, Stage } from "../flight.ts";
import { previewOf } from "../preview.ts";

/**
 * In a dry run, a call that would change something shows it and ends here. Those that only look run as ever; commands run
 * in a view of the workspace, and show what they changed there.
 */
export const rehearse: Stage = (flight: Flight) => {
  const { batch, traits, effects } = flight;
  if (!batch.dryRun) return;
  if (!effects.some(isOutOfReach) && (traits!.isReadOnly || effects.some(isCommand))) return;
  return previewOf(flight).then(({ show, error }) => ({ result: error ? failure(error) : rehearsed(flight, show) }));
};

const isCommand = (effect: Effect): boolean => effect.do === "run" || effect.do === "unknown";

/** What a tool merely claims of itself no port sees to, and what goes on in the background cannot be shown. */
const isOutOfReach = (effect: Effect): boolean =>
  isCommand(effect) && (effect.basis === "claimed" || (effect.do === "run" && effect.background === true));

function rehearsed(flight: Flight, display: Display): Result {
  const { decision, reason } = flight.decision!;
  const asks = decision === "ask" ? ` It would be asked about: ${reason}` : "";
  const changes = flight.effects.filter((effect) => isOutOfReach(effect) || !traitsOf([effect]).isReadOnly);
  const diff = display.kind === "diff" ? `\n${display.unified}` : "";
  return {
    content: [text(`Dry run: nothing was changed. ${activityOf(changes)}.${asks}${diff}`)],
    display,
    metadata: { dryRun: true },
  };
}
