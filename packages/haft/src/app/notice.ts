import type { SettingsProblem } from "@haft/core/policy";
import type { HookNotice } from "@haft/tools";

/** Which remark a notice is. Programs go by this; the words of a notice may change. */
export type NoticeCode =
  /** A settings file has something that does not count, or not as it was written. */
  | "setting"
  /** No sandbox works here: what should run in one runs unconfined. */
  | "sandbox_missing"
  /** A hook of the settings says something to the person. */
  | "hook_message"
  /** A hook failed; what that means for the call, the settings say. */
  | "hook_failure"
  /** A part of what a hook answered does not count. */
  | "hook_remark"
  /** An answer to an approval does not count, or whoever was asked failed. */
  | "answer_ignored"
  /** A file that should define an agent does not, or not wholly. */
  | "agent_file"
  /** The heads of the records could not be handed to where the settings want them. */
  | "head_not_kept"
  /** The session is open in another Haft too. */
  | "session_shared"
  /** A call was cut off when its Haft was killed; what it had begun was brought to its end now. */
  | "call_cut_off";

/** Something that the person should know and no result of a call says. Plain data, to be shown, stored or sent on. */
export interface Notice {
  readonly code: NoticeCode;
  /** `warning`: something does not protect or count as one may think. `notice`: for information. */
  readonly severity: "notice" | "warning";
  /** Who says it: a settings file with its line, a hook with its event, or a part of Haft. */
  readonly source: string;
  /** One or more sentences. May hold text of hooks: whoever shows it on a terminal makes it harmless first. */
  readonly message: string;
  /** What to do about it, where something can be done. */
  readonly cure?: string;
  /** The keys that lead to the setting that it is about. */
  readonly setting?: readonly string[];
}

/** Hears notices as they come. What it throws is ignored. */
export type NoticeListener = (notice: Notice) => void;

/** Where notices come together. */
export interface NoticeBoard {
  post(notice: Notice): void;
  /** Hears what was posted and what will be, until the returned function is called. */
  watch(listener: NoticeListener): () => void;
  /** The latest of them, oldest first. */
  posted(): readonly Notice[];
}

/** Notices that are kept for who begins to listen later. */
const KEPT = 100;

export function noticeBoard(): NoticeBoard {
  const kept: Notice[] = [];
  const listeners = new Set<NoticeListener>();
  return {
    post(notice) {
      kept.push(notice);
      if (kept.length > KEPT) kept.shift();
      for (const listener of listeners) tell(listener, notice);
    },
    watch(listener) {
      for (const notice of kept) tell(listener, notice);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    posted: () => [...kept],
  };
}

/** Whoever hears the news must not be able to stop what they are about. */
function tell(listener: NoticeListener, notice: Notice): void {
  try {
    listener(notice);
  } catch {
    // The listener's own failure.
  }
}

/** A notice as text: who, what, and what to do about it. */
export const noticeText = ({ source, message, cure }: Notice): string =>
  `${source}: ${message}${cure === undefined ? "" : ` ${cure}`}`;

/** What nobody listens for is still said: a hook that guards nothing must not fail in silence. */
export const warnProcess: NoticeListener = (notice) =>
  process.emitWarning(noticeText(notice), { type: "HaftWarning", code: notice.code });

export const settingNotice = ({ severity, file, line, path, message, cure }: SettingsProblem): Notice => ({
  code: "setting",
  severity: severity === "notice" ? "notice" : "warning",
  source: `${file}${line ? `:${line}` : ""}`,
  message,
  cure,
  setting: path,
});

export const hookNotice = ({ event, hook, kind, text }: HookNotice): Notice => ({
  code: `hook_${kind}`,
  severity: kind === "message" ? "notice" : "warning",
  source: `${event} hook "${hook}"`,
  message: text,
});
