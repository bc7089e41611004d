import { type Notice, noticeText } from "../app/notice.ts";
import { below } from "../draw/display.ts";
import { oneLine, visible } from "../draw/sanitize.ts";
import { failureText } from "./exit-code.ts";

/** A notice for a terminal: on its own lines, without control characters. */
export const drawNotice = (notice: Notice): string =>
  `${below(visible(noticeText({ ...notice, source: oneLine(notice.source) })))}\n`;

/** A failure before anything ran. It may quote untrusted files, so control characters are escaped here too. */
export const drawFailure = (thrown: unknown): string => visible(failureText(thrown));
