import {
  type ClientContext,
  client,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
} from "@agentclientprotocol/sdk";
import { afterEach } from "vitest";
import { serveAcp } from "../../src/acp/index.ts";
import { type ScriptStep, scriptedModel } from "./scripted-model.ts";
import { sessionPlaces } from "./session-places.ts";

type Choose = (request: RequestPermissionRequest) => string | undefined | Promise<string | undefined>;

/** Editors for the tests of one file; with each test they close. */
export function editorClients(name: string) {
  const places = sessionPlaces(name);
  const closing: (() => void)[] = [];
  const closeAll = () => {
    for (const close of closing.splice(0)) close();
  };
  afterEach(closeAll);

  /** The official client, connected in memory to Haft with a scripted model. */
  function connect(turns: readonly (readonly ScriptStep[])[], choose: Choose = () => "allow", place = places.make()) {
    const updates: SessionNotification["update"][] = [];
    const asked: RequestPermissionRequest[] = [];
    const toAgent = new TransformStream();
    const toClient = new TransformStream();
    const model = scriptedModel(turns);
    const { cwd, ...session } = place.options;
    const served = serveAcp(
      { readable: toAgent.readable, writable: toClient.writable },
      { version: "0", session: { ...session, model } },
    );
    const app = client()
      .onNotification("session/update", ({ params }) => void updates.push(params.update))
      .onRequest("session/request_permission", async ({ params }): Promise<RequestPermissionResponse> => {
        asked.push(params);
        const optionId = await choose(params);
        return { outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
      });
    const connection = app.connect({ readable: toClient.readable, writable: toAgent.writable });
    closing.push(() => {
      connection.close();
      served.close();
    });
    const agent: ClientContext = connection.agent;
    const start = async (more: object = {}) => {
      await agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
      return agent.request("session/new", { cwd: place.cwd, mcpServers: [], ...more });
    };
    const prompt = (sessionId: string, text: string) =>
      agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
    const ofCall = (id: string) => updates.filter((update) => "toolCallId" in update && update.toolCallId === id);
    return { agent, updates, asked, model, place, cwd: cwd!, start, prompt, ofCall };
  }

  return { places, connect, closeAll };
}

/** The text of all updates of a kind. */
export const texts = (updates: readonly SessionNotification["update"][], kind: string) =>
  updates
    .flatMap((update) =>
      update.sessionUpdate === kind && "content" in update ? [(update.content as { text?: string }).text ?? ""] : [],
    )
    .join("");
