import {
  type CallContext,
  type Canvas,
  type CanvasContent,
  type CanvasSnapshot,
  call,
  connect,
  defineTool,
  type Effect,
  fail,
  ownText,
  type Problem,
  read,
  state,
  text,
} from "@haft/core/tool";
import { namedPath } from "../support/named-path.ts";
import { needs, portOf } from "../support/session/needs.ts";
import { a2uiMessages } from "./canvas/a2ui-messages.ts";
import { ACTIONS, type CanvasInput, input } from "./canvas/input.ts";

/** The result of an action. */
interface CanvasOutput extends Partial<CanvasSnapshot> {
  readonly action: CanvasInput["action"];
}

/** canvas: shows pages to the person, in a panel of the web console. */
export const canvas = defineTool({
  name: "canvas",
  title: "Canvas",
  searchHint: "canvas show page html chart dashboard form preview artifact ui interface a2ui mcp app present",
  description: [
    "Shows the user a page in a panel of the web console: a report, a chart, a form, a small program.",
    "present shows HTML or Markdown, from the input or a file. Write everything into the one page: it cannot load anything from the network.",
    "A script in the page may call tools: await haft.call(name, input). Such a call is decided like one of yours.",
    "snapshot returns an outline of the page and its errors; eval runs a script in it. navigate shows a web address, which you cannot read, or the ui:// resource of an MCP server.",
    "push shows an interface made of A2UI messages (version 0.8, one JSON object per line); reset empties the panel, hide closes it.",
  ].join("\n"),
  input,
  offer: "deferred",
  can: ["state", "read", "connect", "call"],
  rules: { groups: ["ui"] },
  when: needs("panel", "needs the web console: start the session with haft serve"),
  validate: (wish): Problem | undefined => problemOf(wish),
  effects: ({ action, path, url, server }, ctx): readonly Effect[] => [
    state("panel", { change: action !== "snapshot" }),
    ...(path === undefined ? [] : [read(namedPath(ctx, path))]),
    ...(url !== undefined && server === undefined ? [connect(url)] : []),
    ...(server === undefined ? [] : [call(server, "resources/read", { change: false })]),
  ],
  preview: ({ script, html, jsonl, url }) => ({ kind: "text", text: script ?? html ?? jsonl ?? url ?? "" }),
  describe: ({ action = "present", title, url, path }) => {
    const what = `Canvas: ${[action, title ?? url ?? path].filter(Boolean).join(" ")}`;
    return { title: what, activity: what };
  },
  run: async (wish, ctx): Promise<CanvasOutput> => ({ action: wish.action, ...(await act(wish, ctx)) }),
  sources: ({ server, text: said }) =>
    said === undefined ? [] : [server === undefined ? "canvas" : `MCP server ${server}`],
  toModel: ({ action, title, text: said, notes = [] }) => [
    ownText(DONE[action] ?? `The canvas shows ${JSON.stringify(title)}.`),
    ...(said ? [text(said)] : []),
    ...(notes.length > 0 ? [text(notes.join("\n"))] : []),
  ],
  toDisplay: ({ title, text: said, notes = [] }) => ({
    kind: "text",
    text: [title, said, ...notes].filter(Boolean).join("\n"),
  }),
});

const DONE: Partial<Record<CanvasInput["action"], string>> = {
  hide: "The canvas is hidden. present shows content again.",
  reset: "The canvas is empty.",
  eval: "The script returned:",
};

function problemOf(wish: CanvasInput): Problem | undefined {
  const { action, url, server } = wish;
  const { needs: fields = [], example } = ACTIONS[action];
  const given = fields.filter((field) => wish[field] !== undefined);
  if (fields.length > 0 && given.length !== 1)
    return { code: "invalid_input", message: `${action} needs exactly one of ${fields.join(", ")}.`, hint: example };
  if (action !== "navigate") return undefined;
  const protocol = URL.parse(url ?? "")?.protocol ?? "";
  if (server !== undefined && protocol !== "ui:")
    return { code: "invalid_input", message: "With server, url is one of its ui:// resources.", hint: example };
  if (server === undefined && !/^https?:$/.test(protocol))
    return {
      code: "invalid_input",
      message: `"${url}" is not a web address.`,
      hint: "Write the whole address, such as http://localhost:5173/. For a file use present with path; for ui:// add server.",
    };
  return undefined;
}

async function act(wish: CanvasInput, ctx: CallContext): Promise<Partial<CanvasSnapshot>> {
  const port: Canvas = portOf(ctx.ports, "panel");
  const { signal } = ctx;
  switch (wish.action) {
    case "present":
    case "navigate": {
      const content = await contentOf(wish, ctx);
      const { title, notes } = await port.show(wish.title ?? titleOf(wish), content, signal);
      return { title, notes };
    }
    case "push": {
      const lines = wish.jsonl ?? (await textOf(wish, ctx));
      const { title, notes } = await port.push(a2uiMessages(lines), signal);
      return { title, notes };
    }
    case "eval":
      return port.evaluate(wish.script ?? "", signal);
    case "snapshot":
      return port.snapshot(signal);
    case "hide":
      port.hide();
      return {};
    case "reset":
      port.reset();
      return {};
  }
}

async function contentOf(wish: CanvasInput, ctx: CallContext): Promise<CanvasContent> {
  const { html, markdown, path, url = "", server } = wish;
  if (html !== undefined) return { kind: "html", text: html };
  if (markdown !== undefined) return { kind: "markdown", text: markdown };
  if (path !== undefined) return { kind: /\.html?$/i.test(path) ? "html" : "markdown", text: await textOf(wish, ctx) };
  return server === undefined ? { kind: "address", url } : { kind: "app", server, uri: url };
}

/** The panel holds one page. */
const MOST_BYTES = 2 * 1024 * 1024;

async function textOf({ path = "" }: CanvasInput, ctx: CallContext): Promise<string> {
  if (!/\.(?:html?|md|markdown|jsonl)$/i.test(path))
    return fail("invalid_input", `The canvas cannot show ${path}.`, "Give an .html, .md or .jsonl file.");
  const { text: said } = await ctx.ports.files.text(namedPath(ctx, path), { maxBytes: MOST_BYTES });
  return said;
}

const titleOf = ({ path, url }: CanvasInput): string => path?.split("/").at(-1) ?? url ?? "Page";
