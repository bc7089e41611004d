import type { BrowserWish } from "@haft/core/tool";

/** Facts about an action before it happens. */
interface ActionFacts {
  readonly needs?: readonly ("url" | "ref" | "path")[];
  /** It changes nothing, in the page or elsewhere. */
  readonly isLook?: true;
  /** It changes the browser and contacts no host. */
  readonly isInside?: true;
  /** Whether the file named by `path` is read or written. */
  readonly file?: "read" | "write";
  readonly example: string;
}

const at = (action: string, rest = ""): string => `Write {"action": "${action}"${rest}}.`;
const REF = ', "ref": "e5"';

/** The actions and their facts. */
export const ACTIONS: Readonly<Record<BrowserWish["action"], ActionFacts>> = {
  navigate: { needs: ["url"], example: at("navigate", ', "url": "https://example.com"') },
  back: { example: at("back") },
  forward: { example: at("forward") },
  reload: { example: at("reload") },
  snapshot: { isLook: true, example: at("snapshot") },
  screenshot: { isLook: true, example: at("screenshot") },
  click: { needs: ["ref"], example: at("click", REF) },
  hover: { needs: ["ref"], example: at("hover", REF) },
  type: { needs: ["ref"], example: at("type", `${REF}, "text": "…"`) },
  press: { example: at("press", ', "key": "Enter"') },
  select: { needs: ["ref"], example: at("select", `${REF}, "values": ["…"]`) },
  scroll: { example: at("scroll") },
  wait: { isInside: true, example: at("wait", ', "text": "…"') },
  evaluate: { example: at("evaluate", ', "script": "document.title"') },
  upload: { needs: ["path"], file: "read", example: at("upload", `${REF}, "path": "a.txt"`) },
  download: { needs: ["path"], file: "write", example: at("download", `${REF}, "path": "a.pdf"`) },
  dialog: { isInside: true, example: at("dialog", ', "accept": true') },
  console: { isLook: true, example: at("console") },
  network: { isLook: true, example: at("network") },
  tabs: { isLook: true, example: at("tabs") },
  open: { example: at("open", ', "url": "https://example.com"') },
  close: { isInside: true, example: at("close", ', "tab": "t2"') },
  stop: { isInside: true, example: at("stop") },
};

const string = (description: string) => ({ type: "string", minLength: 1, description }) as const;

/** One flat object: some providers refuse a choice at the root. */
export const input = {
  type: "object",
  properties: {
    action: {
      type: "string",
      enum: Object.keys(ACTIONS) as BrowserWish["action"][],
      description:
        "The action. Pages: navigate, back, forward, reload. Look: snapshot, screenshot, console, network, tabs. Elements: click, hover, type, press, select, scroll, upload, download. Others: wait, evaluate, dialog (answers the next one), open (a new tab), close, stop.",
    },
    url: string("The address, for navigate and open."),
    tab: string("The tab's id, as tabs lists it. Default: the last one used."),
    ref: string("The element, by its reference in the last snapshot: e5."),
    text: { type: "string", description: "The text to type, to wait for, or to answer a prompt with." },
    submit: { type: "boolean", description: "After type: press Enter." },
    key: string("The key for press: Enter, Escape, ArrowDown, Control+a."),
    values: { type: "array", items: { type: "string" }, description: "The options for select, by value or label." },
    script: string("A JavaScript expression for evaluate; its value is returned as JSON."),
    path: {
      type: "string",
      format: "path",
      minLength: 1,
      description: "The file to upload, or the file to write a download to.",
    },
    accept: { type: "boolean", description: "For dialog: accept the next one. Default: dismiss it." },
    full_page: { type: "boolean", description: "For screenshot: the whole page, not only the visible part." },
    ms: { type: "integer", minimum: 0, maximum: 30_000, description: "For wait: maximum milliseconds. Default 5000." },
  },
  required: ["action"],
  additionalProperties: false,
} as const;

/** The input of the tool. */
export interface BrowserInput extends Omit<BrowserWish, "files" | "fullPage"> {
  readonly path?: string;
  readonly full_page?: boolean;
}
