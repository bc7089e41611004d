import { type Message, openConversation, openModel, type SessionHooks, sessionHooks } from "../../../agent/index.ts";
import type { Haft } from "../../../app/haft.ts";
import { oneLine } from "../../../draw/sanitize.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { runOn } from "./agent-run.ts";
import { withMentioned } from "./mentions.ts";
import { modelOf } from "./model-choice.ts";
import { narrator } from "./narrator.ts";

/** A conversation with the model, prompt after prompt. */
export interface Talk {
  /** Number of messages so far, including those of an earlier process. */
  readonly length: number;
  /** Sends a prompt and shows the response. */
  say(text: string, signal: AbortSignal, options: { readonly withMentions: boolean }): Promise<void>;
  /** The next prompt starts a new conversation. Grants, loaded tools and past calls stay in the session. */
  clear(): void;
  end(): Promise<void>;
}

export function talkWith(haft: Haft, terminal: Terminal): Talk {
  const kept = openConversation(haft.session.path);
  const { style } = terminal;
  let messages: readonly Message[] = kept.messages;
  let hooks: SessionHooks | undefined;

  return {
    get length() {
      return messages.length;
    },
    async say(text, signal, { withMentions }) {
      const model = await openModel(modelOf(haft), process.env);
      hooks ??= sessionHooks({ runHooks: haft.runHooks, model: model.name, isResumed: messages.length > 0 });
      const said = await hooks.opening(text, signal);
      if ("refused" in said) return terminal.tell(`The prompt was not sent: ${oneLine(said.refused)}\n`);
      const opening = withMentions ? await withMentioned(haft, said.messages, signal) : said.messages;
      for (const message of opening) kept.add(message);
      const tell = narrator({ style, write: terminal.print, showsQuestions: true });
      const silence = haft.on(tell.onCall);
      using _ = { [Symbol.dispose]: silence };
      const end = await runOn({
        ...{ haft, model, hooks, signal },
        messages: [...messages, ...opening],
        onEvent(event) {
          tell.onAgent(event);
          if (event.type === "message") kept.add(event.message);
        },
      });
      await tell.end(end);
      messages = end.messages;
    },
    clear() {
      messages = [];
      kept.clear();
    },
    async end() {
      await hooks?.end("prompt_input_exit");
      kept.close();
    },
  };
}
