import { type Notice, noticeText } from "../../app/notice.ts";
import { below } from "./display.ts";
import { oneLine, visible } from "./sanitize.ts";

/** A notice as it stands on a terminal: in lines of its own, and nothing in it talks to the terminal. */
export const drawNotice = (notice: Notice): string =>
  `${below(visible(noticeText({ ...notice, source: oneLine(notice.source) })))}\n`;
