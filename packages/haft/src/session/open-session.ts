import { counted, fail, HaftError } from "@haft/core/tool";
import { newSessionId } from "@haft/service";
import { conversationIn, copied, defaultModel, type Message, openConversation, repaired } from "../agent/index.ts";
import { createHaft } from "../app/create-haft.ts";
import type { HaftOptions } from "../app/haft.ts";
import { type Notice, warnProcess } from "../app/notice.ts";
import { crossSession, type SessionRegistration } from "./cross-session.ts";
import { LiveSession } from "./live-session.ts";
import type { AgentSession, AgentSessionOptions } from "./session.ts";
import { modelChoice } from "./session-model.ts";
import { recordedAgent, storedSession } from "./stored/stored-sessions.ts";

/**
 * Opens an agent: a model that works with Haft's tools, in one folder, under its settings.
 *
 * @throws HaftError `validation_failed` when a settings file or an option has an error, or there is nothing to resume.
 */
export const openSession = (options: AgentSessionOptions = {}): Promise<AgentSession> =>
  openRegistered(options, { kind: "agent" });

/** The same for sessions that another session or a schedule starts. */
export async function openRegistered(
  options: AgentSessionOptions,
  registration: SessionRegistration,
): Promise<AgentSession> {
  const { model, resume, fork = false, forkAt, maxTurns, effort, wrapModel, ...rest } = options;
  const env = options.env ?? process.env;
  const byKey = defaultModel(env);
  const resumed = resume === undefined ? undefined : storedSession(resume, options);
  const session = fork && resumed !== undefined ? newSessionId() : (resumed?.id ?? options.session);
  const notify = (notice: Notice): void => {
    options.onNotice?.(notice);
    if (live) live.emit({ type: "notice", notice });
    // A guard that does not work must not fail in silence.
    if (!options.onNotice && !live?.isHeard) warnProcess(notice);
  };
  let live: LiveSession | undefined;
  const recorded = options.agent === undefined && resumed ? recordedAgent(resumed.folder) : undefined;
  const name = typeof model === "object" ? model.name : model;
  const haft = await createHaft({
    ...rest,
    ...(recorded === undefined ? {} : { agent: recorded }),
    ...(session === undefined ? {} : { session }),
    ...(name === undefined ? {} : { model: name }),
    ...(byKey ? { fallbackModel: byKey.model } : {}),
    ...(typeof model === "object" ? { openModel: openerOf(model, options) } : {}),
    onNotice: notify,
  }).catch((thrown: unknown) => withoutAgent(thrown, recorded));
  const conversation = openConversation(haft.session.path);
  const forked = fork && resumed ? copied(upTo(conversationIn(resumed.folder), forkAt)) : undefined;
  if (forked && resumed) conversation.forkedFrom(resumed.id);
  for (const message of forked ?? []) conversation.add(message);
  // A crash may have left calls without a result. They are closed, not made again.
  const messages = repaired(forked ?? conversation.messages);
  if (conversation.unread > 0)
    notify({
      ...{ code: "conversation", severity: "warning", source: "session" },
      message: `${counted(conversation.unread, "line")} of ${conversation.file} could not be read completely. The rest of the conversation was restored.`,
    });
  const models = modelChoice({
    ...{ haft, env, byKey, model, wrapModel },
    ...(effort === undefined ? {} : { effort }),
    ...(options.openModel ? { openModel: options.openModel } : {}),
  });
  live = new LiveSession({
    ...{ haft, conversation, messages, models, maxTurns: maxTurns ?? haft.role?.maxTurns, notify },
    isElsewhere: rest.host !== undefined,
  });
  if (!options.lookOnly) live.link(await crossSession(live, options, registration, openRegistered));
  return live;
}

/** Adds the cure to an error about the agent as which a session was recorded. */
function withoutAgent(thrown: unknown, agent: string | undefined): never {
  if (agent === undefined || !HaftError.is(thrown) || thrown.code !== "invalid_input") throw thrown;
  throw new HaftError({
    code: thrown.code,
    message: `The session works as the agent "${agent}". ${thrown.message}`,
    hint: `Restore its file, trust the folder if the file is there, or name another agent, such as --agent general. ${thrown.hint ?? ""}`.trim(),
  });
}

/** The messages up to the results of a call. @throws HaftError `validation_failed` for a call without any. */
function upTo(messages: readonly Message[], call: string | undefined): readonly Message[] {
  if (call === undefined) return messages;
  const at = messages.findLastIndex(
    (message) => message.role === "results" && message.results.some(({ callId }) => callId === call),
  );
  if (at >= 0) return messages.slice(0, at + 1);
  return fail("validation_failed", `The conversation has no result of the call "${call}".`, "Fork all of it.");
}

/** Agents that inherit a given model get that model. */
const openerOf =
  (
    model: Exclude<AgentSessionOptions["model"], string | undefined>,
    options: AgentSessionOptions,
  ): NonNullable<HaftOptions["openModel"]> =>
  async (name) => {
    if (name === model.name) return model;
    if (options.openModel) return options.openModel(name);
    const { openModel } = await import("../agent/index.ts");
    return openModel(name, options.env ?? process.env);
  };
