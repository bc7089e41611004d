import {
  activityOf,
  type Display,
  type Effect,
  failure,
  HaftError,
  type Result,
  type ToolError,
  text,
  toJson,
  toToolError,
  traitsOf,
} from "../../tool/index.ts";
import { type DecidedRun, effectContext, type Stage } from "../call-run.ts";
import { bindPorts } from "./bound-ports.ts";

/** The display of a call for a person. Also why the call is sure to fail, if its tool can already tell. */
export interface Preview {
  readonly show: Display;
  readonly error?: ToolError;
}

/** Asks the tool for a display of the call. Falls back to the plain input, never to nothing. */
export async function previewOf(callRun: DecidedRun): Promise<Preview> {
  const { tool } = callRun.entry;
  const plain: Display = { kind: "text", text: plainInput(callRun.observed) };
  if (!tool.preview) return { show: plain };
  try {
    const ports = bindPorts(callRun.machine, callRun.call, {
      effects: callRun.effects,
      holes: callRun.decision.grant.holes,
    });
    // A preview reads but changes nothing, whatever the call itself may do.
    return { show: await tool.preview(callRun.input, effectContext(callRun, readOnly(ports))) };
  } catch (thrown) {
    // A tool fails on purpose with a code and a reason. Any other exception is a bug in its preview, and says nothing
    // about the call; the person who is asked should know that the preview is missing.
    if (HaftError.is(thrown)) return { show: plain, error: toToolError(thrown) };
    const title = `The preview of ${tool.name} failed: ${toToolError(thrown).message}`;
    return { show: { kind: "group", title, items: [plain] } };
  }
}

/** For a question about a call that is expected to fail. */
export const wouldFail = (show: Display, { message }: ToolError): Display => ({
  kind: "group",
  title: `It would fail now: ${message}`,
  items: [show],
});

/**
 * In a dry run, a call that would change something shows the change and ends here. Calls that only read run as usual.
 * Commands run in a view of the workspace and show their changes there.
 */
export const rehearse: Stage<DecidedRun> = (callRun) => {
  const { batch, traits, effects } = callRun;
  if (!batch.dryRun) return;
  if (!effects.some(isOutOfReach) && (traits.isReadOnly || effects.some(isCommand))) return;
  return previewOf(callRun).then(({ show, error }) => ({ result: error ? failure(error) : rehearsed(callRun, show) }));
};

const isCommand = (effect: Effect): boolean => effect.do === "run" || effect.do === "unknown";

/** Ports cannot control effects that a tool merely claims, and background work cannot be shown. */
const isOutOfReach = (effect: Effect): boolean =>
  isCommand(effect) && (effect.basis === "claimed" || (effect.do === "run" && effect.background === true));

function rehearsed(callRun: DecidedRun, display: Display): Result {
  const { decision, reason } = callRun.decision;
  const asks = decision === "ask" ? ` It would ask: ${reason}` : "";
  const changes = callRun.effects.filter((effect) => isOutOfReach(effect) || !traitsOf([effect]).isReadOnly);
  const diff = display.kind === "diff" ? `\n${display.unified}` : "";
  return {
    content: [text(`Dry run: nothing was changed. ${activityOf(changes)}.${asks}${diff}`)],
    display,
    metadata: { dryRun: true },
  };
}

function readOnly(ports: ReturnType<typeof bindPorts>): ReturnType<typeof bindPorts> {
  const refused = () => Promise.reject(new Error("A preview changes nothing."));
  return { ...ports, files: { ...ports.files, write: refused, remove: refused }, processes: { run: refused } };
}

/** An input field by field, for people: text as it is, anything else as JSON. */
function plainInput(input: unknown): string {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return toJson(input);
  return Object.entries(input)
    .map(([name, value]) => {
      const text = typeof value === "string" ? value : toJson(value);
      return text.includes("\n") ? `${name}:\n${text.replaceAll(/^(?=.)/gm, "  ")}` : `${name}: ${text}`;
    })
    .join("\n");
}
