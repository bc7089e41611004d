import type { SettingsProblem } from "@haft/core/policy";
import type { HookNotice } from "@haft/plugins/hook";

/** The kind of a notice. Programs test this code; the wording of a notice may change. */
export type NoticeCode =
  /** A settings file has something that is ignored, or that takes effect differently from how it was written. */
  | "setting"
  /** No sandbox works here: commands meant for a sandbox run unconfined. */
  | "sandbox_missing"
  /** A hook of the settings has a message for the person. */
  | "hook_message"
  /** A hook failed. The settings decide what that means for the call. */
  | "hook_failure"
  /** A part of a hook's answer is ignored. */
  | "hook_remark"
  /** An answer to an approval is ignored, or the asker failed. */
  | "answer_ignored"
  /** A file that should define an agent is ignored, wholly or in part. */
  | "agent_file"
  /** An agent shares the folder of its parent, although it was to have a copy. */
  | "agent_place"
  /** A skill, or something in its file, is ignored. */
  | "skill_file"
  /** A tool file, or a tool in it, is ignored. */
  | "tool_file"
  /** The program that lists tools gave none, or some cannot be used. */
  | "tool_discovery"
  /** A file with instructions for the agent is ignored, wholly or in part. */
  | "instructions"
  /** The conversation was not summarized although it is long. */
  | "compaction"
  /** A part of the conversation could not be read. */
  | "conversation"
  /** A plugin, or a tool of it, cannot be used. */
  | "plugin"
  /** The heads of the records could not be delivered where the settings want them. */
  | "head_not_kept"
  /** The session is open in another Haft too. */
  | "session_shared"
  /** The agent has sent a message to the channel `terminal`. */
  | "message"
  /** A schedule that ran beside the session has asked something, or has ended. */
  | "schedule"
  /** A call was cut off when its Haft was killed. Recovery has now finished it. */
  | "call_cut_off";

/** A message for the person that no call result contains. Plain data: it can be shown, stored or sent on. */
export interface Notice {
  readonly code: NoticeCode;
  /** `warning`: something does not protect or count as expected. `notice`: for information. */
  readonly severity: "notice" | "warning";
  /** The source: a settings file with its line, a hook with its event, or a part of Haft. */
  readonly source: string;
  /** One or more sentences. May contain text of hooks: escape it before showing it on a terminal. */
  readonly message: string;
  /** The cure, if there is one. */
  readonly cure?: string;
  /** The path of keys to the setting concerned. */
  readonly setting?: readonly string[];
}

/** Receives each notice. Errors that it throws are ignored. */
export type NoticeListener = (notice: Notice) => void;

/** Collects notices and passes them to listeners. */
export interface NoticeBoard {
  post(notice: Notice): void;
  /** Posts a problem of the settings. */
  warn(problem: SettingsProblem): void;
  /** Receives all kept and all future notices until the returned function is called. */
  watch(listener: NoticeListener): () => void;
  /** The latest notices, oldest first. */
  posted(): readonly Notice[];
}

/** Number of notices kept for later listeners. */
const KEPT = 100;

export function noticeBoard(): NoticeBoard {
  const kept: Notice[] = [];
  const listeners = new Set<NoticeListener>();
  function post(notice: Notice): void {
    kept.push(notice);
    if (kept.length > KEPT) kept.shift();
    for (const listener of listeners) tell(listener, notice);
  }
  return {
    post,
    warn: (problem) => post(settingNotice(problem)),
    watch(listener) {
      for (const notice of kept) tell(listener, notice);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    posted: () => [...kept],
  };
}

/** A listener's error must not stop the work that the notice is about. */
function tell(listener: NoticeListener, notice: Notice): void {
  try {
    listener(notice);
  } catch {
    // The listener's own failure.
  }
}

/** A notice as text: source, message and cure. */
export const noticeText = ({ source, message, cure }: Notice): string =>
  `${source}: ${message}${cure === undefined ? "" : ` ${cure}`}`;

/** Notices without a listener are still emitted: a hook that guards nothing must not fail in silence. */
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
