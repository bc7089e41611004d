import type { ModelCall, TurnAssembler } from "../turn.ts";
import { applyPartial } from "./partial-args.ts";
import type { GeminiCall, GeminiContent, GeminiPart, GeminiResponse } from "./wire.ts";

/** A call with the id that the provider gave it, if any. */
export type GeminiModelCall = ModelCall & { readonly wireId?: string };

/** Calls may have no id: then their place in the answer is one, so that the same answer gives the same ids. */
export const idMaker = () => {
  const own = crypto.randomUUID();
  let at = 0;
  return (call: GeminiCall, responseId: string | undefined): string => {
    at += 1;
    return call.id || `${responseId ?? own}.${at}`;
  };
};

/** A call whose arguments still stream. */
interface OpenCall {
  readonly part: GeminiPart;
  readonly call: GeminiCall;
  readonly args: Record<string, unknown>;
}

/** Puts a streamed answer together. A call is complete when its part does not say that it will continue. */
export function geminiAssembler(): TurnAssembler<GeminiResponse, GeminiContent, GeminiModelCall> {
  const parts: GeminiPart[] = [];
  const idOf = idMaker();
  let open: OpenCall | undefined;
  let [id, finishReason]: (string | undefined)[] = [];

  function complete(part: GeminiPart, call: GeminiCall, cut?: ModelCall["cut"]): GeminiModelCall {
    parts.push({ ...part, functionCall: call });
    const wire = call.id ? { wireId: call.id } : {};
    return { id: idOf(call, id), name: call.name ?? "", input: call.args ?? {}, ...wire, ...(cut ? { cut } : {}) };
  }

  function closeOpen(cut?: ModelCall["cut"]): GeminiModelCall[] {
    if (!open) return [];
    const { part, call, args } = open;
    open = undefined;
    const { id: callId, name } = call;
    return [complete(part, { ...(callId ? { id: callId } : {}), ...(name ? { name } : {}), args }, cut)];
  }

  function take(part: GeminiPart): GeminiModelCall[] {
    const { functionCall: call } = part;
    if (!call) {
      addText(parts, part);
      return [];
    }
    const before = call.name && open ? closeOpen() : [];
    if (!open && !call.willContinue && !call.partialArgs) return [...before, complete(part, call)];
    open ??= { part, call, args: { ...call.args } };
    for (const partial of call.partialArgs ?? []) applyPartial(open.args, partial);
    return call.willContinue ? before : [...before, ...closeOpen()];
  }

  return {
    feed({ responseId, candidates }) {
      if (responseId) id = responseId;
      const [candidate] = candidates ?? [];
      const calls = (candidate?.content?.parts ?? []).flatMap(take);
      if (candidate?.finishReason) finishReason = candidate.finishReason;
      return calls;
    },
    close: () => closeOpen(finishReason === undefined ? "broken" : "length"),
    message: () => ({ role: "model", parts }),
    get id() {
      return id;
    },
    get stopReason() {
      return finishReason;
    },
    get isWhole() {
      return finishReason !== undefined;
    },
  };
}

/** Pieces of a text become one. A part with a signature stays as it is, so that it can be sent back. */
function addText(parts: GeminiPart[], part: GeminiPart): void {
  const last = parts.at(-1);
  const isPlain = (one: GeminiPart): boolean => Object.keys(one).every((key) => key === "text" || key === "thought");
  if (part.text === "" && isPlain(part)) return;
  if (
    last?.text !== undefined &&
    part.text !== undefined &&
    isPlain(last) &&
    isPlain(part) &&
    last.thought === part.thought
  )
    parts[parts.length - 1] = { ...last, text: last.text + part.text };
  else parts.push(part);
}
