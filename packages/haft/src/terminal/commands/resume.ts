import { dirname, join } from "node:path";
import { type Message, openConversation } from "../../agent/index.ts";
import { Picker } from "../screen/picker.ts";
import type { Screen } from "../screen/screen.ts";

/** Most sessions in the list. */
const MOST = 30;

/** An earlier conversation in the same folder. */
export interface EarlierSession {
  readonly id: string;
  readonly words: string;
  readonly messages: number;
}

/** The conversations of a folder, latest first. `path`: the folder of a session by its id. */
export function earlierSessions(
  ids: readonly string[],
  path: (id: string) => string,
  present: string,
): readonly EarlierSession[] {
  const found: EarlierSession[] = [];
  for (const id of ids) {
    if (found.length >= MOST) break;
    if (id === present) continue;
    const conversation = openConversation(join(path(id), "session.jsonl"));
    const { messages } = conversation;
    conversation.close();
    if (messages.length > 0) found.push({ id, words: wordsOf(messages[0]!), messages: messages.length });
  }
  return found;
}

function wordsOf(message: Message): string {
  if (message.role !== "user") return "";
  return message.content
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join(" ")
    .slice(0, 200);
}

/** The folder in which the sessions of a session's folder are. */
export const sessionsFolder = (path: string | undefined): string | undefined =>
  path === undefined ? undefined : dirname(dirname(path));

/** Opens the list of earlier conversations. */
export function openResume(
  screen: Screen,
  sessions: readonly EarlierSession[],
  choose: (id: string) => void,
): string | undefined {
  if (sessions.length === 0) return "  This folder has no earlier conversation.";
  screen.open(
    new Picker({
      title: "Go on with a conversation",
      hint: "↑↓ Enter opens it · Esc stays here",
      items: sessions,
      item: ({ id, words, messages }) => ({
        label: words.split("\n", 1)[0] || id,
        about: `${messages} messages · ${id}`,
      }),
      done(chosen) {
        screen.open(undefined);
        if (chosen) choose(chosen.id);
      },
    }),
  );
  return undefined;
}
