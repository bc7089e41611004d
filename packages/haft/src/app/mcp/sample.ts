import type { Broker } from "@haft/core/approval";
import { delegate, HaftError } from "@haft/core/tool";
import type { McpManagerOptions } from "@haft/mcp";
import type { Environment, Message } from "../../agent/index.ts";

type Sample = NonNullable<McpManagerOptions["sample"]>;
type Wanted = Parameters<Sample>[1];

/** Limits per session: requests, and characters of a request and of an answer. */
const MOST_REQUESTS = 20;
const MOST_ASKED_CHARS = 60_000;
const MOST_ANSWER_CHARS = 16_000;

/** Rough number of characters per token. */
const CHARS_A_TOKEN = 4;

/**
 * Lets a server query the session's model. A person sees the whole request before it is sent to the model, and the answer
 * before it is sent to the server. The model gets no tools, and caps limit the server, because it spends somebody else's
 * money.
 */
export function sampleThrough(broker: Broker, model: string, env: Environment): Sample {
  let requests = 0;
  return async (server, wanted, signal, call) => {
    const said = wordsOf(server, wanted);
    const messages = said.map(messageOf);
    const size = JSON.stringify(messages).length + (wanted.systemPrompt?.length ?? 0);
    if (requests >= MOST_REQUESTS || size > MOST_ASKED_CHARS) throw tooMuch(server, size);
    // Counted before anybody is asked: parallel requests each count, and so do refused ones, or a server could ask forever.
    requests += 1;
    if (!(await mayAsk(broker, { server, model, call }, wanted, said, signal)))
      throw new HaftError({
        code: "denied_by_user",
        message: "The user declined the request to the model.",
        hint: "Go on without it.",
      });
    const { openModel } = await import("../../agent/index.ts");
    const opened = await openModel(model, env);
    const most = Math.min(MOST_ANSWER_CHARS, (wanted.maxTokens ?? Number.POSITIVE_INFINITY) * CHARS_A_TOKEN);
    const stop = new AbortController();
    const system = wanted.systemPrompt ?? "";
    let text = "";
    const either = AbortSignal.any([signal, stop.signal]);
    for await (const event of opened.step({ system, messages, tools: [], signal: either })) {
      if (event.type === "delta" && event.of === "text") text += event.text;
      if (event.type === "error" && !stop.signal.aborted) throw event.error;
      if (text.length >= most) stop.abort();
    }
    const isCut = text.length >= most;
    const answer = text.slice(0, most);
    if (!(await maySend(broker, { server, model, call }, answer, signal)))
      throw new HaftError({
        code: "denied_by_user",
        message: "The user declined to send the model's answer.",
        hint: "Go on without it.",
      });
    return {
      model: opened.name,
      role: "assistant",
      stopReason: isCut ? "maxTokens" : "endTurn",
      content: { type: "text", text: answer },
    };
  };
}

interface Words {
  readonly role: "user" | "assistant";
  readonly text: string;
}

function wordsOf(server: string, { messages, tools }: Wanted): readonly Words[] {
  if (tools !== undefined && tools.length > 0) throw unfit(server, "tools");
  return messages.map(({ role, content }) => {
    const blocks = Array.isArray(content) ? content : [content];
    const texts = blocks.map((block) => (block.type === "text" ? block.text : undefined));
    if (texts.includes(undefined)) throw unfit(server, "anything but text");
    return { role, text: texts.join("\n") };
  });
}

const messageOf = ({ role, text }: Words): Message =>
  role === "user" ? { role, content: [{ type: "text", text }] } : { role, parts: [{ type: "text", text }] };

/** Text with a margin, so that it cannot pass for somebody else's words. */
const quoted = (who: string, text: string): string => `${who}:\n${text.replaceAll(/^/gm, "| ")}`;

async function mayAsk(
  broker: Broker,
  asker: SamplingCall,
  { systemPrompt, maxTokens }: Wanted,
  said: readonly Words[],
  signal: AbortSignal,
) {
  const words = [
    ...(systemPrompt ? [quoted("system", systemPrompt)] : []),
    ...said.map(({ role, text }) => quoted(role, text)),
  ];
  const { server, model } = asker;
  const title = `Send a prompt to ${model} for the MCP server "${server}"`;
  const why = `The MCP server "${server}" wants to use ${model} at your expense. You see the answer before it is sent.`;
  return isAllowed(broker, { ...asker, title, why, input: { maxTokens }, text: words.join("\n") }, signal);
}

/** Asks before sending: the answer of the user's model goes to a stranger, and nobody else has read it. */
const maySend = (broker: Broker, asker: SamplingCall, answer: string, signal: AbortSignal) =>
  isAllowed(
    broker,
    {
      ...{ ...asker, title: `Send the answer of ${asker.model} to the MCP server "${asker.server}"`, input: {} },
      ...{
        why: `The MCP server "${asker.server}" gets exactly this text.`,
        text: quoted("answer", answer),
      },
    },
    signal,
  );

/** The server, the model and the running call, if known, of a request. */
interface SamplingCall {
  readonly server: string;
  readonly model: string;
  readonly call: string | undefined;
}

interface Point extends SamplingCall {
  readonly title: string;
  readonly why: string;
  readonly input: object;
  readonly text: string;
}

async function isAllowed(
  broker: Broker,
  { server, model, call, title, why, input, text }: Point,
  signal: AbortSignal,
): Promise<boolean> {
  const outcome = await broker.ask(
    {
      callId: call ?? `mcp-sampling-${server}`,
      agent: { id: "main" },
      tool: `mcp__${server}`,
      title,
      input,
      effects: [{ ...delegate(model), basis: "claimed" }],
      show: { kind: "text", text },
      why,
      destructive: false,
      suggestions: [],
    },
    { decision: "ask", reason: why, trace: [], suggestions: [], grant: { effects: [], holes: [] } },
    signal,
  );
  return outcome.status === "answered" && outcome.answer.behavior === "allow";
}

const tooMuch = (server: string, size: number): HaftError =>
  new HaftError({
    code: "limit_reached",
    message: `The MCP server "${server}" sends the model too much: ${size} characters, or more than ${MOST_REQUESTS} requests.`,
    hint: `The limit is ${MOST_ASKED_CHARS} characters a request and ${MOST_REQUESTS} requests a session.`,
  });

const unfit = (server: string, what: string): HaftError =>
  new HaftError({
    code: "invalid_input",
    message: `The MCP server "${server}" sends the model ${what}.`,
    hint: "Send only text.",
  });
