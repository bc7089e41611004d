import { counted } from "@haft/core/tool";
import { type SessionPlace, type StoredSession, storedSessions } from "../../session/index.ts";
import { Picker } from "../screen/picker.ts";
import type { Screen } from "../screen/screen.ts";

/** Most sessions in the list. */
const MOST = 30;

/** The conversations of a folder without the present one, latest first. */
export const earlierSessions = (place: SessionPlace, present?: string): readonly StoredSession[] =>
  storedSessions(place)
    .filter(({ id }) => id !== present)
    .slice(0, MOST);

/** Opens the list of earlier conversations. */
export function openResume(
  screen: Screen,
  sessions: readonly StoredSession[],
  choose: (id: string | undefined) => void,
): string | undefined {
  if (sessions.length === 0) return "  This folder has no earlier conversation.";
  screen.open(
    new Picker({
      title: "Resume a conversation",
      hint: "↑↓ Enter opens it · Esc stays here",
      items: sessions,
      item: ({ id, title, messages }) => ({
        label: title || id,
        about: `${counted(messages, "message")} · ${id}`,
      }),
      done(chosen) {
        screen.open(undefined);
        choose(chosen?.id);
      },
    }),
  );
  return undefined;
}
