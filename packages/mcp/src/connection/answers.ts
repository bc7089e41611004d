import { HaftError } from "@haft/core/tool";
import type {
  Client,
  ClientCapabilities,
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestParams,
  ElicitResult,
} from "@modelcontextprotocol/client";
import { TASKS } from "./task-answers.ts";

/** A request from a server to its client, in the words of the protocol. */
interface ServerQuestion {
  readonly method: string;
  readonly params?: unknown;
}

/** Answers a server's questions, whether they come as requests, or with a call or a task. */
export interface Answers {
  readonly capabilities: ClientCapabilities;
  register(client: Client): void;
  /** @throws HaftError `mcp_error` for an invalid question, or one of a kind that was not offered. */
  answer(question: ServerQuestion, signal: AbortSignal): Promise<object>;
}

/** The sources of answers to a server's questions. */
export interface AnswerParts {
  /** The server. */
  readonly name: string;
  /** The folders that servers get as roots. */
  readonly roots: readonly { readonly uri: string; readonly name: string }[];
  /** The user lets it ask the session's model. */
  readonly maySample: boolean;
  /** Called around a server's question: calls in progress wait without losing time. */
  readonly onQuestion: () => OpenQuestion;
  /**
   * Asks a person a server's question. Absent: servers are told that nobody can be asked. `call`: the call during which it asks, or another
   * one of the same agent; absent if not known.
   */
  elicit?(server: string, question: ElicitRequestParams, signal: AbortSignal, call?: string): Promise<ElicitResult>;
  /** Asks the session's model for a server whose settings say `sampling`. Absent: no server may ask the model. */
  sample?(
    server: string,
    wanted: CreateMessageRequestParams,
    signal: AbortSignal,
    call?: string,
  ): Promise<CreateMessageResult>;
}

/** A server's question, while it is open. */
export interface OpenQuestion {
  /** The call in progress that it belongs to, or another one of the same agent; `undefined` if not known. */
  readonly call: string | undefined;
  /** Fires after the last call that it could belong to has ended: then nobody waits for an answer. */
  readonly signal: AbortSignal;
  end(): void;
}

/** Questions to people that a server may have open at once. Nobody reads a hundred. */
const MOST_OPEN = 8;

/** Answers of one connection: the granted folders, a person's answer, and the model's if the user allows that. */
export function createAnswers({ name, roots, maySample, onQuestion, elicit, sample }: AnswerParts): Answers {
  const toModel = maySample ? sample : undefined;
  let asked = 0;

  async function patiently<T>(
    asked: AbortSignal,
    work: (signal: AbortSignal, call: string | undefined) => Promise<T>,
  ): Promise<T> {
    const question = onQuestion();
    try {
      return await work(AbortSignal.any([asked, question.signal]), question.call);
    } finally {
      question.end();
    }
  }

  async function ofFew<T>(work: () => Promise<T>): Promise<T> {
    if (asked >= MOST_OPEN)
      throw new HaftError({
        code: "limit_reached",
        message: `The MCP server "${name}" asks too much: ${MOST_OPEN} of its questions are already waiting.`,
        hint: "Wait for the answers.",
      });
    asked += 1;
    try {
      return await work();
    } finally {
      asked -= 1;
    }
  }

  const folders = () => ({ roots: [...roots] });
  const fromPerson = elicit
    ? (params: ElicitRequestParams, asked: AbortSignal) =>
        ofFew(() => patiently(asked, (signal, call) => elicit(name, params, signal, call)))
    : undefined;
  const fromModel = toModel
    ? (params: CreateMessageRequestParams, asked: AbortSignal) =>
        patiently(asked, (signal, call) => toModel(name, params, signal, call))
    : undefined;

  return {
    capabilities: {
      roots: { listChanged: false },
      ...(fromPerson ? { elicitation: { form: {}, url: {} } } : {}),
      ...(fromModel ? { sampling: {} } : {}),
      extensions: { [TASKS]: {} },
    },
    register(client) {
      client.setRequestHandler("roots/list", folders);
      if (fromPerson)
        client.setRequestHandler("elicitation/create", ({ params }, ctx) => fromPerson(params, ctx.mcpReq.signal));
      if (fromModel)
        client.setRequestHandler("sampling/createMessage", ({ params }, ctx) => fromModel(params, ctx.mcpReq.signal));
    },
    async answer({ method, params }, signal) {
      const { isSpecType } = await import("../sdk/sdk.ts");
      if (method === "roots/list") return folders();
      if (method === "elicitation/create" && fromPerson && isSpecType.ElicitRequestParams(params))
        return fromPerson(params, signal);
      if (method === "sampling/createMessage" && fromModel && isSpecType.CreateMessageRequestParams(params))
        return fromModel(params, signal);
      throw new HaftError({
        code: "mcp_error",
        message: `The MCP server "${name}" asks for ${JSON.stringify(String(method).slice(0, 100))}, which is not supported here.`,
        hint: "Run the tool where a person can be asked.",
      });
    },
  };
}
