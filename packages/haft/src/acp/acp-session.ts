import type {
  AgentContext,
  AvailableCommand,
  ContentBlock,
  McpServer,
  RequestPermissionResponse,
  SessionUpdate,
  StopReason,
} from "@agentclientprotocol/sdk";
import type { Asker } from "@haft/core/approval";
import { type HaftError, toToolError } from "@haft/core/tool";
import { approvalAnswer, approvalForm } from "../server/mcp/approval-form.ts";
import type { AgentSession, SlashCommand } from "../session/index.ts";
import { editablePart } from "../terminal/approval/editable.ts";
import { type EditorChannel, editFirst } from "./edit-first.ts";
import { answerOf, permissionRequest } from "./permission.ts";
import { readPrompt, stopReason } from "./prompt.ts";
import { createUpdates, said } from "./updates.ts";

/** Updates go out in order; a client that reads nothing holds back its own session alone. */
export class AcpSession {
  readonly session: AgentSession;
  readonly #client: AgentContext;
  readonly #silence: () => void;
  #isCancelled = false;

  constructor(session: AgentSession, client: AgentContext) {
    this.session = session;
    this.#client = client;
    const updatesOf = createUpdates();
    this.#silence = session.on((event) => {
      for (const update of updatesOf(event)) this.tell(update);
    });
  }

  /** Sends an update. One that cannot be sent is dropped: the connection is gone. */
  tell(update: SessionUpdate): void {
    const params = { sessionId: this.session.id, update };
    void this.#client.notify("session/update", params).catch(() => {});
  }

  /** Tells the editor which commands a person can type. */
  tellCommands(): void {
    const availableCommands = this.#commands().map(
      ({ name, description, argumentHint }): AvailableCommand => ({
        name,
        description,
        ...(argumentHint === undefined ? {} : { input: { hint: argumentHint } }),
      }),
    );
    this.tell({ sessionUpdate: "available_commands_update", availableCommands });
  }

  /** Runs one prompt, or the command that it begins with. */
  async prompt(blocks: readonly ContentBlock[]): Promise<StopReason> {
    this.#isCancelled = false;
    const { text, images } = readPrompt(blocks);
    const [, name, args = ""] = /^\/([\w:.-]+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
    const command = this.#commands().find((one) => one.name === name);
    try {
      if (command) return await this.#run(command, args.trim());
      const end = await this.session.prompt(text, images.length > 0 ? { images } : {});
      if (end.reason === "error") this.#say(`The model failed: ${messageOf(end.error)}`);
      else if (end.why !== undefined && end.reason !== "cancelled") this.#say(end.why);
      this.#tellUsage();
      return this.#isCancelled ? "cancelled" : stopReason(end);
    } catch (thrown) {
      if (this.#isCancelled) return "cancelled";
      this.#say(messageOf(thrown));
      return "end_turn";
    }
  }

  cancel(): void {
    this.#isCancelled = true;
    this.session.interrupt();
  }

  /** Adds the servers that the editor has for this session. */
  addServers(servers: readonly McpServer[]): void {
    for (const server of servers)
      this.session.haft.mcp.add({ ...settingsOf(server), name: server.name, origin: "cli" });
  }

  async close(): Promise<void> {
    this.#silence();
    await this.session[Symbol.asyncDispose]();
  }

  async #run(command: SlashCommand, args: string): Promise<StopReason> {
    const outcome = await command.run(args);
    if ("end" in outcome) return this.#isCancelled ? "cancelled" : stopReason(outcome.end);
    this.#say(outcome.text);
    this.tellCommands();
    return this.#isCancelled ? "cancelled" : "end_turn";
  }

  /** The session's commands; undo, which editors have no method for, is added where it is missing. */
  #commands(): readonly SlashCommand[] {
    const commands = this.session.commands();
    return commands.some(({ name }) => name === "undo") ? commands : [...commands, undoCommand(this.session)];
  }

  #say(text: string): void {
    this.tell({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: `${text}\n` } });
  }

  #tellUsage(): void {
    const { contextTokens = 0, requests, inputTokens, outputTokens, money } = this.session.usage;
    const usage = { contextTokens, requests, inputTokens, outputTokens };
    this.tell({
      sessionUpdate: "usage_update",
      // No provider tells the size of the context.
      ...{ used: contextTokens, size: 0 },
      ...(money === undefined ? {} : { cost: { amount: money, currency: "USD" } }),
      _meta: { "haft/usage": usage },
    });
  }
}

const messageOf = (thrown: unknown): string => {
  const { message, hint } = toToolError(thrown as HaftError);
  return hint === undefined ? message : `${message} ${hint}`;
};

const undoCommand = ({ haft }: AgentSession): SlashCommand => ({
  name: "undo",
  description: "undoes the last file change",
  source: "builtin",
  async run() {
    const { changed, losses } = await haft.undo();
    const lost = losses.map(({ path, why }) => `${path} was not undone: ${why}`);
    return { text: [`Undone: ${changed.map(({ path }) => path).join(", ") || "nothing"}.`, ...lost].join("\n") };
  },
});

function settingsOf(server: McpServer) {
  const pairs = (list: readonly { name: string; value: string }[]) =>
    Object.fromEntries(list.map(({ name, value }) => [name, value]));
  if ("command" in server) return { command: server.command, args: server.args, env: pairs(server.env) };
  return { type: server.type, url: server.url, headers: pairs(server.headers) };
}

/** An asker that puts questions to the person at the editor. Without an answer there is none, so the call is refused. */
export const editorAsker =
  (client: AgentContext, sessionId: () => string, canFillForms: boolean): Asker =>
  async (request, signal) => {
    if (request.form) {
      if (!canFillForms) return undefined;
      const { params } = approvalForm(request);
      const form = { ...(params as object), mode: "form", sessionId: sessionId() };
      const reply = await client.request("elicitation/create", form as never, { cancellationSignal: signal });
      return approvalAnswer(request, reply as Parameters<typeof approvalAnswer>[1]);
    }
    const channel = channelTo(client, sessionId(), signal);
    for (;;) {
      const response = await channel.ask(permissionRequest(channel.sessionId, request));
      const part = isEdit(response) ? editablePart(request) : undefined;
      const answer = part ? await editFirst(request, part, channel) : answerOf(request, response);
      if (answer) return answer;
    }
  };

const isEdit = ({ outcome }: RequestPermissionResponse): boolean =>
  outcome.outcome === "selected" && outcome.optionId === "edit";

function channelTo(client: AgentContext, sessionId: string, signal: AbortSignal): EditorChannel {
  const tell = (update: SessionUpdate) => void client.notify("session/update", { sessionId, update }).catch(() => {});
  return {
    sessionId,
    ask: (params) => client.request("session/request_permission", params, { cancellationSignal: signal }),
    show(toolCallId, path, words) {
      tell({ sessionUpdate: "tool_call_update", toolCallId, locations: [{ path }] });
      tell(said(words));
    },
    say: (words) => tell(said(words)),
  };
}
