import type { Answer, ApprovalRequest, Remembered } from "../approval/index.ts";
import type { Decision } from "../policy/index.ts";
import type { AgentRef, CallRef, Display, Effect, Progress, Traits } from "../tool/index.ts";
import type { CallOutcome } from "./call.ts";

interface OfCall {
  readonly call: CallRef;
  readonly agent: AgentRef;
}

/**
 * What happens to calls, as it happens. Every face (terminal, protocol, record) lives on these and needs to know no tool.
 */
export type CallEvent =
  | (OfCall & { readonly type: "tool:call:received"; readonly input: unknown; readonly title: string })
  | (OfCall & {
      readonly type: "tool:call:decided";
      readonly decision: Decision;
      readonly effects: readonly Effect[];
      readonly title: string;
      readonly activity: string;
    })
  | (OfCall & { readonly type: "tool:permission:request"; readonly request: ApprovalRequest })
  | (OfCall & {
      readonly type: "tool:permission:response";
      readonly requestId: string;
      readonly answer: Answer;
      readonly by: string;
      /** What the answer leaves behind, where something was to be remembered. */
      readonly kept?: Remembered;
    })
  | (OfCall & {
      readonly type: "tool:execution:start";
      readonly title: string;
      readonly activity: string;
      readonly traits: Traits;
    })
  | (OfCall & { readonly type: "tool:execution:progress"; readonly progress: Progress })
  | (OfCall & {
      readonly type: "tool:execution:complete" | "tool:execution:error";
      readonly outcome: CallOutcome;
      /** What the call was, in the tool's words for its input. */
      readonly label: string;
      /** How it ended: the live title, else the label. */
      readonly title: string;
      readonly summary: string;
      readonly content: Display;
    });

/** The names of the events, for who wants to hear only some. */
export type CallEventType = CallEvent["type"];

/** Hears events. What it throws is ignored: a listener can never break a call. */
export type Listener = (event: CallEvent) => void;
