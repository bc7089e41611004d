import { Marked } from "marked";
import type { CanvasPage } from "../../../../haft/src/server/canvas/canvas-state.ts";
import { renderA2ui } from "./a2ui.ts";
import { bridge } from "./bridge.ts";
import { links } from "./links.ts";

const PLAIN = `<style>
body { font: 16px/1.6 system-ui, sans-serif; color: #1d1f1e; background: #fff; max-width: 46rem; margin: 0 auto; padding: 1.5rem; }
pre { background: #f2f0ea; padding: .8rem; overflow: auto; } code { font-family: ui-monospace, monospace; }
table { border-collapse: collapse; } td, th { border: 1px solid #dcd8ce; padding: .3rem .6rem; } img { max-width: 100%; }
</style>`;

const script = (run: () => void): string => `<script>(${run.toString().replaceAll("</", "<\\/")})()</script>`;

/** Headings have the ids that links in Markdown expect: `## Next steps` is `#next-steps`. */
const markdown = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      const letters = text.toLowerCase().replace(/[^\p{L}\p{N}\s_-]+/gu, "");
      return `<h${depth} id="${letters.trim().replace(/\s/g, "-")}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
  },
});

const FIRST = script(bridge) + script(links);

/** The HTML of a page, with the bridge in front of everything else. */
export function htmlOf(page: Exclude<CanvasPage, { kind: "address" }>): string {
  switch (page.kind) {
    case "markdown":
      return `<!doctype html>${FIRST}<meta charset="utf-8">${PLAIN}${markdown.parse(page.text, { async: false })}`;
    case "a2ui":
      return `<!doctype html>${FIRST}<meta charset="utf-8">${PLAIN}<body>${script(renderA2ui)}`;
    case "html":
    case "app": {
      const doctype = /^\s*<!doctype[^>]*>/i.exec(page.text)?.[0] ?? "";
      return `${doctype || "<!doctype html>"}${FIRST}${page.text.slice(doctype.length)}`;
    }
  }
}

/** The page as a file for people. An address has none. */
export function fileOf(page: CanvasPage, title: string): { readonly name: string; readonly text: string } | undefined {
  const name = title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "page";
  switch (page.kind) {
    case "address":
      return undefined;
    case "markdown":
      return { name: `${name.replace(/-md$/, "")}.md`, text: page.text };
    case "a2ui":
      return { name: `${name}.jsonl`, text: page.messages.map((message) => `${JSON.stringify(message)}\n`).join("") };
    default:
      return { name: `${name.replace(/-html?$/, "")}.html`, text: page.text };
  }
}
