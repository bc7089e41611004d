import { randomBytes } from "node:crypto";
import { dirname } from "node:path";
import { parse, type Schema, toSchema } from "@haft/core/schema";
import { call as callEffect, defineTool, fail, HaftError, type Tool } from "@haft/core/tool";
import { z } from "zod";
import type { LiveSession } from "./live-session.ts";
import { type ClientAnswer, digest, openParkedCalls, type ParkedCall, type ParkedCalls } from "./parked-calls.ts";

/** A tool that a client runs, as the client describes it. */
export const clientTool = z.object({
  name: z.string().min(1).max(64),
  description: z.string().max(10_000),
  inputSchema: z.record(z.string(), z.unknown()),
  /** Checks the client's results. Absent: any JSON. */
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  /** It changes nothing, according to the client. Rules may still ask. */
  readOnly: z.boolean().optional(),
  timeoutMs: z.number().int().positive().optional(),
});
export type ClientTool = z.output<typeof clientTool>;

/** The connection of a client. */
export interface ClientSocket {
  readonly client: string;
  /** Asks the client to run a call. */
  sendCall(session: string, call: ParkedCall): void;
}

/** The outcome of a registration. `key` proves later that it is the same client. */
export interface Registered {
  readonly key: string;
  readonly added: readonly string[];
  readonly refused: readonly { readonly tool: string; readonly message: string }[];
}

/** Why a result does not count. */
export type ResultReceipt =
  | { readonly accepted: true; readonly parked?: true }
  | {
      readonly accepted: false;
      readonly reason: "unknown_call" | "already_answered" | "not_yours" | "invalid";
      readonly message: string;
    };

interface Owner {
  readonly client: string;
  socket: ClientSocket | undefined;
  leaving?: NodeJS.Timeout;
  remove(): void;
}

interface Waiting {
  readonly call: ParkedCall;
  readonly output: Schema<unknown> | undefined;
  settle(answer: ClientAnswer): void;
}

/** The tools that clients run for one session. */
export class ClientTools {
  readonly #session: LiveSession;
  readonly #graceMs: number;
  readonly #owners = new Map<string, Owner>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #answered = new Set<string>();
  readonly #parked: ParkedCalls;
  #isClosing = false;

  /** `graceMs`: how long a client that lost its connection may take to come back. */
  constructor(session: LiveSession, graceMs: number) {
    this.#session = session;
    this.#graceMs = graceMs;
    const { path } = session.agent.haft.session;
    this.#parked = openParkedCalls(path === undefined ? undefined : dirname(path));
  }

  /** Adds a client's tools, or takes them over with the key of an earlier registration. */
  register(
    socket: ClientSocket,
    tools: readonly ClientTool[],
    key = randomBytes(24).toString("base64url"),
  ): Registered {
    const id = digest(key);
    const before = this.#owners.get(id);
    if (before && before.client !== socket.client) fail("conflict", "The key belongs to another client.");
    clearTimeout(before?.leaving);
    before?.remove();
    const { registry } = this.#session.agent.haft;
    const made: Tool[] = [];
    const refused: { tool: string; message: string }[] = [];
    for (const tool of tools) {
      try {
        made.push(this.#toolOf(id, tool));
      } catch (thrown) {
        refused.push({ tool: tool.name, message: (thrown as Error).message });
      }
    }
    const registration = registry.add({ origin: "client", name: socket.client }, made);
    this.#owners.set(id, { client: socket.client, socket, remove: registration.remove });
    refused.push(...registration.refused.map(({ tool, message }) => ({ tool, message })));
    for (const call of this.#openCallsOf(id)) socket.sendCall(this.#session.id, call);
    return { key, added: registration.added, refused };
  }

  /** The open calls of an owner: those that wait here, and those that an earlier process left. */
  #openCallsOf(owner: string): readonly ParkedCall[] {
    return this.#parked.list().filter((call) => call.owner === owner && !call.answer);
  }

  /** Takes the result of a call. Only the client that registered the tool may give it, and only once. */
  async result(socket: ClientSocket, callId: string, answer: ClientAnswer): Promise<ResultReceipt> {
    const call = this.#parked.get(callId);
    if (!call || call.answer || this.#answered.has(callId)) {
      return this.#answered.has(callId) || call?.answer
        ? refusedFor("already_answered", `The call "${callId}" already has a result; this one has no effect.`)
        : refusedFor("unknown_call", `There is no open call "${callId}".`);
    }
    if (this.#owners.get(call.owner)?.socket !== socket)
      return refusedFor("not_yours", `The call "${callId}" is for another client.`);
    const waiting = this.#waiting.get(callId);
    const problem = waiting && answer.error === undefined ? await problemOf(waiting.output, answer.output) : undefined;
    if (problem !== undefined) return refusedFor("invalid", `${problem} The call still waits.`);
    if (this.#answered.has(callId)) return refusedFor("already_answered", `The call "${callId}" has a result already.`);
    this.#answered.add(callId);
    if (waiting) {
      waiting.settle(answer);
      return { accepted: true };
    }
    this.#parked.put({ ...call, answer });
    this.#continue(call.tool);
    return { accepted: true, parked: true };
  }

  /** The process that made the call is gone: the agent makes it again, and finds the result. */
  #continue(tool: string): void {
    const { agent } = this.#session;
    const text = `[The client has answered the open call of ${tool}. Make the same call again to read its result.]`;
    agent.prompt(text, { withMentions: false, by: "client" }).catch(() => {});
  }

  /** A connection is gone. Its calls wait for the client to come back, and fail after a while. */
  left(socket: ClientSocket): void {
    for (const [id, owner] of this.#owners) {
      if (owner.socket !== socket) continue;
      owner.socket = undefined;
      owner.leaving = setTimeout(() => this.#dismiss(id), this.#graceMs);
      owner.leaving.unref();
    }
  }

  #dismiss(id: string): void {
    const owner = this.#owners.get(id);
    if (!owner || owner.socket) return;
    owner.remove();
    this.#owners.delete(id);
    for (const { call, settle } of this.#waiting.values())
      if (call.owner === id) settle({ error: "The client that provides this tool has disconnected." });
  }

  /** The session closes. Open calls stay on disk, for the next process. */
  close(): void {
    this.#isClosing = true;
    for (const { leaving } of this.#owners.values()) clearTimeout(leaving);
  }

  #toolOf(owner: string, given: ClientTool): Tool {
    const { name, description, inputSchema, outputSchema, readOnly = false, timeoutMs } = given;
    const output = outputSchema
      ? toSchema(outputSchema, `output of tool ${name}`, { root: "any", isForeign: true })
      : undefined;
    return defineTool({
      ...{ name, description },
      input: toSchema(inputSchema, `tool ${name}`, { isForeign: true }),
      can: ["call"],
      effects: () => [callEffect("client", name, { change: !readOnly })],
      run: (input, ctx) => this.#run(owner, { callId: ctx.call.id, tool: name, input, owner }, output, ctx.signal),
      sources: () => [`client tool ${name}`],
      ...(timeoutMs === undefined ? {} : { limits: { timeoutMs } }),
    }) as Tool;
  }

  async #run(
    owner: string,
    call: ParkedCall,
    output: Schema<unknown> | undefined,
    signal: AbortSignal,
  ): Promise<unknown> {
    const left = this.#parked.takeAnswer(call.tool, call.input);
    if (left) return outputOf(call.tool, left);
    this.#parked.put(call);
    const { promise, resolve, reject } = Promise.withResolvers<ClientAnswer>();
    const cancel = (): void => reject(signal.reason);
    signal.addEventListener("abort", cancel, { once: true });
    this.#waiting.set(call.callId, { call, output, settle: resolve });
    this.#owners.get(owner)?.socket?.sendCall(this.#session.id, call);
    try {
      return outputOf(call.tool, await promise);
    } finally {
      signal.removeEventListener("abort", cancel);
      this.#waiting.delete(call.callId);
      this.#answered.add(call.callId);
      if (!this.#isClosing) this.#parked.drop(call.callId);
    }
  }
}

function outputOf(tool: string, { output, error }: ClientAnswer): unknown {
  if (error !== undefined) throw new HaftError({ code: "client_tool_failed", message: `${tool} failed: ${error}` });
  return output ?? "";
}

async function problemOf(schema: Schema<unknown> | undefined, output: unknown): Promise<string | undefined> {
  if (!schema) return undefined;
  const read = await parse(schema, output);
  return read.ok ? undefined : `The result does not fit the tool's output schema: ${JSON.stringify(read.issues)}.`;
}

const refusedFor = (reason: Extract<ResultReceipt, { accepted: false }>["reason"], message: string): ResultReceipt => ({
  ...{ accepted: false, reason, message },
});
