import type { LoggingLevel } from "@modelcontextprotocol/server";
import type { Notice, NoticeBoard } from "../../app/notice.ts";
import { noticeText } from "../../app/notice.ts";

/** Notices as log messages of the protocol, each sent to a client once. */
export interface ClientNotices {
  /** For an older client, which sets its level once: sends current and future notices. */
  follow(level: () => LoggingLevel | undefined, log: Log): void;
  /** For a newer client, which sets its level in each request: sends the notices since the last one. */
  catchUp(log: Log): void;
}

type Log = (level: LoggingLevel, data: string, logger: string) => Promise<void>;

/** Quietest first. */
const LEVELS: readonly LoggingLevel[] = [
  ...(["debug", "info", "notice", "warning"] as const),
  ...(["error", "critical", "alert", "emergency"] as const),
];

export function noticesFor(board: NoticeBoard): ClientNotices {
  const told = new WeakSet<Notice>();
  let isFollowed = false;
  function tell(notice: Notice, log: Log): void {
    if (told.has(notice)) return;
    told.add(notice);
    // A disconnected client gets nothing more.
    void log(notice.severity, noticeText(notice), "haft").catch(() => {});
  }
  return {
    follow(level, log) {
      if (isFollowed) return;
      isFollowed = true;
      board.watch((notice) => {
        const least = level();
        if (least && LEVELS.indexOf(notice.severity) >= LEVELS.indexOf(least)) tell(notice, log);
      });
    },
    catchUp(log) {
      for (const notice of board.posted()) tell(notice, log);
    },
  };
}
