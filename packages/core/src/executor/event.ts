import type { Answer, ApprovalRequest, Remembered } from "../approval/index.ts";
import type { Decision } from "../policy/index.ts";
import type { AgentRef, CallRef, Display, Effect, Progress, Traits } from "../tool/index.ts";
import type { CallOutcome } from "./call.ts";

interface OfCall {
  readonly call: CallRef;
  readonly agent: AgentRef;
}

/**
 * The events of calls, as they happen. Every interface (terminal, protocol, record) uses only these and needs no
 * knowledge of tools.
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
      /** The rules that the answer left behind, if any. */
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
      /** The title of the call, in the tool's words for its input. */
      readonly label: string;
      /** The title at the end: the live title, else the label. */
      readonly title: string;
      readonly summary: string;
      readonly content: Display;
    });

/** The names of the events, for listeners that want only some. */
export type CallEventType = CallEvent["type"];

/** Receives events. Its exceptions are ignored: a listener can never break a call. */
export type Listener = (event: CallEvent) => void;
