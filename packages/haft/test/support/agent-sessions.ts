import { afterEach } from "vitest";
import type { AgentSession, AgentSessionOptions, SessionEvent } from "../../src/session/index.ts";
import { openSession } from "../../src/session/index.ts";
import { type ScriptedModel, scriptedModel } from "./scripted-model.ts";
import { sessionPlaces } from "./session-places.ts";

type Turns = Parameters<typeof scriptedModel>[0];

/** Sessions with scripted models, for the tests of one file. They end with their test. */
export function agentSessions(name: string) {
  const places = sessionPlaces(name);
  const open: AgentSession[] = [];
  afterEach(async () => {
    for (const session of open.splice(0)) await session[Symbol.asyncDispose]();
  });
  return {
    make: places.make,
    /** Opens a session whose model says these things. `events` fills up as things happen. */
    async open(
      turns: Turns,
      options: AgentSessionOptions = places.make().options,
    ): Promise<{
      readonly session: AgentSession;
      readonly model: ScriptedModel;
      readonly events: SessionEvent[];
    }> {
      const model = scriptedModel(turns);
      const session = await openSession({ model, ...options });
      open.push(session);
      const events: SessionEvent[] = [];
      session.on((event) => events.push(event));
      return { session, model, events };
    },
  };
}
