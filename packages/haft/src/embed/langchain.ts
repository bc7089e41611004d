/** @module Haft's tools for LangChain and LangGraph's `ToolNode`. Takes their constructors, so that it imports nothing. */
import { hostCalls, isFile, resultParts } from "@haft/core/adapter";
import { toParameters } from "@haft/core/schema";
import { flatRoot } from "@haft/core/schema/dialect";
import { failure, type Result } from "@haft/core/tool";
import type { Haft } from "../app/haft.ts";

/** The part of a LangChain tool that Haft touches. */
interface LangchainTool {
  name: string;
  invoke(input: never, config?: never): Promise<unknown>;
}

/** The question that interrupts a graph. Resume it with `true`, `false`, or `{ approved, message }`. */
export interface LangchainQuestion {
  readonly type: "tool-approval";
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly reason: string;
}

/** The constructors of LangChain that the tools are made with. */
interface LangchainParts<T extends LangchainTool, M> {
  /** `tool` of `@langchain/core/tools`. */
  readonly tool: (run: never, fields: never) => T;
  /** `ToolMessage` of `@langchain/core/messages`. */
  readonly ToolMessage: new (
    fields: never,
  ) => M;
  /** `interrupt` of `@langchain/langgraph`: calls that must be asked about then interrupt the graph. Needs a checkpointer. */
  readonly interrupt?: (question: LangchainQuestion) => unknown;
}

/** A call, or only its input. */
interface Given {
  readonly id?: string;
  readonly args?: unknown;
}

interface Config {
  readonly toolCall?: { readonly id?: string };
  readonly toolCallId?: string;
  readonly signal?: AbortSignal;
  /** LangGraph names the running step here. The name stays when the step runs again. */
  readonly configurable?: { readonly checkpoint_ns?: string };
}

/**
 * Haft's tools for `bindTools` and `ToolNode`: `langchain(haft, { tool, ToolMessage, interrupt }).tools`. A graph runs
 * calls again when it resumes; a finished call keeps its result.
 */
export function langchain<T extends LangchainTool, M>(
  haft: Pick<Haft, "toolbox">,
  parts: LangchainParts<T, M>,
): { tools: T[] } {
  const calls = hostCalls(haft.toolbox);
  // Interrupts of one node are numbered, so questions of parallel calls come in the order of the calls.
  let turn: Promise<unknown> = Promise.resolve();

  async function run(tool: string, input: unknown, config: Config): Promise<M> {
    const id = config.toolCallId ?? config.toolCall?.id ?? crypto.randomUUID();
    const call = { id, tool, input, signal: config.signal, step: config.configurable?.checkpoint_ns };
    const asked = turn.then(() => ask(parts.interrupt, call, calls.asks));
    turn = asked.catch(() => {});
    const answer = await asked;
    const result = typeof answer === "string" ? refused(answer) : await calls.run({ ...call, isApproved: answer });
    return messageOf(parts.ToolMessage, { id, tool, result });
  }

  const tools = calls.tools().map(({ name, wireName, description, input: schema }) => {
    const fields = { name: wireName, description, schema: flatRoot(toParameters(schema.json)) };
    const made = parts.tool(((input: unknown, config: Config) => run(name, input, config)) as never, fields as never);
    const invoke = made.invoke.bind(made) as (input: unknown, config?: unknown) => Promise<unknown>;
    // LangChain checks the input itself. Haft answers a misfit in its own words, which name the cure.
    const answering = async (input: Given, config?: Config): Promise<unknown> => {
      try {
        return await invoke(input, config);
      } catch (thrown) {
        if (!(thrown instanceof Error) || thrown.constructor.name !== "ToolInputParsingException") throw thrown;
        return run(name, input.args ?? input, { ...config, ...(input.id ? { toolCallId: input.id } : {}) });
      }
    };
    return Object.assign(made, { invoke: answering });
  });
  return { tools };
}

/** Whether a person approved the call; a text is the reason of a refusal. */
async function ask(
  interrupt: LangchainParts<LangchainTool, unknown>["interrupt"],
  call: { readonly id: string; readonly tool: string; readonly input: unknown },
  asks: (call: { id: string; tool: string; input: unknown }) => Promise<string | undefined>,
): Promise<boolean | string> {
  if (!interrupt) return false;
  const { id, tool, input } = call;
  const reason = await asks(call);
  if (reason === undefined) return false;
  const answer = interrupt({ type: "tool-approval", id, tool, input, reason });
  const given = (typeof answer === "object" ? answer : { approved: answer }) as {
    approved?: unknown;
    message?: string;
  };
  return given?.approved === true || (given?.message ?? "The user declined this call.");
}

const refused = (message: string): Result =>
  failure({ code: "denied_by_user", message, hint: "Do not make the same call again. Ask the user how to go on." });

function messageOf<M>(
  ToolMessage: new (fields: never) => M,
  { id, tool, result }: { readonly id: string; readonly tool: string; readonly result: Result },
): M {
  const parts = resultParts(result);
  const [first] = parts;
  const content =
    parts.length === 1 && first?.type === "text"
      ? first.text
      : parts.map((part) =>
          isFile(part)
            ? { type: part.type === "image" ? "image" : "file", mimeType: part.mediaType, data: part.data }
            : part,
        );
  const status = result.error ? "error" : "success";
  return new ToolMessage({ name: tool, tool_call_id: id, content, status, artifact: result.output } as never);
}
