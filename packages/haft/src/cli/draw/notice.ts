import { type Notice, noticeText } from "../../app/notice.ts";
import { failureText } from "../exit-code.ts";
import { below } from "./display.ts";
import { oneLine, visible } from "./sanitize.ts";

/** A notice as it stands on a terminal: in lines of its own, and nothing in it talks to the terminal. */
export const drawNotice = (notice: Notice): string =>
  `${below(visible(noticeText({ ...notice, source: oneLine(notice.source) })))}\n`;

/** A failure before anything ran: it may quote files of strangers, and nothing in it talks to the terminal either. */
export const drawFailure = (thrown: unknown): string => visible(failureText(thrown));
