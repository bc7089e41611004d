import type { CallRequest } from "../../executor/index.ts";
import type { Offered } from "../../registry/index.ts";
import { flatRoot } from "../../schema/dialect/index.ts";
import { type Schema, toParameters } from "../../schema/index.ts";
import { errorText, type FileContents, failure, toToolError, traitsOf } from "../../tool/index.ts";
import type { Toolbox } from "../toolbox.ts";
import { wireNames } from "../wire-names.ts";
import { type ApprovalRecord, answerIn, approvalRecord } from "./approval-record.ts";
import { canonical } from "./canonical.ts";
import { aiSdkModelOutput } from "./model-output.ts";
import { createStep, type Step } from "./step.ts";
import type {
  AiSdkApprovalOptions,
  AiSdkApprovalStatus,
  AiSdkExecuteOptions,
  AiSdkMessage,
  AiSdkOutput,
  AiSdkTool,
} from "./wire.ts";

/** The options for asking people and for recording questions. */
export interface AiSdkOptions {
  /**
   * Whether the host's own approval parts ask people. Default: no, the machine asks its own askers while the call
   * waits.
   */
  readonly hostAsks?: boolean;
  /** The record of the questions asked. Default: in memory, so that a restart forgets them and asks again. */
  readonly record?: ApprovalRecord;
  /** Limit for the steps of a run, each a message of the model with its results. Default 20. */
  readonly maxSteps?: number;
}

/** Spread it into `streamText`, `generateText` or an agent: the keys are the options of those functions. */
export interface AiSdkAdapter {
  readonly tools: Record<string, AiSdkTool>;
  readonly toolApproval: (options: AiSdkApprovalOptions) => Promise<AiSdkApprovalStatus>;
  /** Ends the run after `maxSteps`: the SDK's default ends it after one, before the model has seen a result. */
  readonly stopWhen: (options: { readonly steps: readonly unknown[] }) => boolean;
}

/** The same as the default of the SDK's own agents. */
const MAX_STEPS = 20;

/**
 * Haft's tools for the AI SDK. Calls of one step keep their order and run in parallel if their effects allow it. A
 * decision made while the message streamed is made again when the call runs.
 */
export function aiSdk(
  toolbox: Toolbox,
  { hostAsks = false, record = approvalRecord(), maxSteps = MAX_STEPS }: AiSdkOptions = {},
): AiSdkAdapter {
  const names = wireNames();
  // The SDK gives all calls of one step the same array of messages: that array is the step's identity.
  const steps = new WeakMap<readonly AiSdkMessage[], Step>();
  let latest: Step | undefined;
  let turns = 0;

  function stepOf(messages: readonly AiSdkMessage[]): Step {
    const known = steps.get(messages);
    if (known) return known;
    latest?.abandon();
    const step = createStep(toolbox, ++turns);
    steps.set(messages, step);
    latest = step;
    return step;
  }

  async function toolApproval({ toolCall, messages }: AiSdkApprovalOptions): Promise<AiSdkApprovalStatus> {
    const { toolCallId: id, toolName, input } = toolCall;
    const request: CallRequest = { id, tool: names.toTool(toolName), input };
    const answered = answerIn(messages, id) !== undefined;
    return decide(request, answered, stepOf(messages));
  }

  async function decide(request: CallRequest, answered: boolean, step: Step): Promise<AiSdkApprovalStatus> {
    const { id } = request;
    try {
      const { decision, reason, code, grant, contents } = await toolbox.decide(request);
      // The pipeline itself reports and records everything but a refusal by policy better.
      if (decision === "deny" && (code === undefined || isRefusal(code))) return { type: "denied", reason };
      if (decision === "allow" && !answered && traitsOf(grant.effects).isReadOnly) step.startEarly(request);
      else step.hold();
      if (decision !== "ask" || !hostAsks) return { type: "not-applicable" };
      if (!answered) record.asked(id, questionOf(request, contents));
      else if (!record.has(id, questionOf(request, contents))) return { type: "denied", reason: UNASKED };
      return { type: "user-approval", reason };
    } catch (thrown) {
      return { type: "denied", reason: errorText(toToolError(thrown)) };
    }
  }

  async function execute(tool: string, input: unknown, options: AiSdkExecuteOptions): Promise<AiSdkOutput> {
    const { toolCallId: id, messages, abortSignal } = options;
    const asked: CallRequest = { id, tool, input };
    const approval: Partial<CallRequest> = {
      approved: "host",
      approvedFor: (contents) => record.has(id, questionOf(asked, contents)),
      onApprovalUsed: () => record.spend(id),
    };
    const isAnswered = hostAsks && answerIn(messages, id) === "approved";
    const request: CallRequest = { ...asked, ...(isAnswered ? approval : {}) };
    try {
      // No await before this: the order of the calls is the order in which they are added.
      const { result, status } = await stepOf(messages).run(request, abortSignal);
      return { ...result, status };
    } catch (thrown) {
      return { ...failure(toToolError(thrown)), status: "error" };
    } finally {
      record.spend(id);
    }
  }

  return {
    get tools() {
      return Object.fromEntries(
        toolbox.offer().tools.map((offered) => [names.toWire(offered.name), aiSdkTool(offered, execute)]),
      );
    },
    toolApproval,
    stopWhen: ({ steps }) => steps.length >= maxSteps,
  };
}

const questionOf = ({ tool, input }: CallRequest, contents: FileContents | undefined): string =>
  canonical(contents ? [tool, input, contents] : [tool, input]);

const UNASKED =
  "This approval does not match a question about this call, or a file that it would run has changed since. It did not run.";

const isRefusal = (code: string): boolean => code.startsWith("denied_") || code === "forbidden_command";

function aiSdkTool(
  { name, title, description, input }: Offered,
  execute: (tool: string, input: unknown, options: AiSdkExecuteOptions) => Promise<AiSdkOutput>,
): AiSdkTool {
  return {
    type: "dynamic",
    description,
    ...(title === undefined ? {} : { title }),
    inputSchema: openSchema(input),
    execute: (value, options) => execute(name, value, options),
    toModelOutput: ({ output }) => aiSdkModelOutput(output as AiSdkOutput),
  };
}

/**
 * The tool's schema for the model, without a check. The SDK would put the parsed value in place of the model's own
 * input and send that back, and would report invalid inputs in its own words. The pipeline parses instead.
 */
function openSchema(input: Schema): Schema {
  const json = () => ({ ...flatRoot(toParameters(input.json)) });
  return {
    get json() {
      return flatRoot(toParameters(input.json));
    },
    "~standard": {
      version: 1,
      vendor: "haft",
      validate: (value) => ({ value }),
      jsonSchema: { input: json, output: json },
    },
  };
}
