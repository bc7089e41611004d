/** The input of canvas. One flat shape, as some models need it. */
export interface CanvasInput {
  readonly action: "present" | "navigate" | "hide" | "eval" | "snapshot" | "push" | "reset";
  readonly title?: string;
  readonly html?: string;
  readonly markdown?: string;
  readonly path?: string;
  readonly url?: string;
  readonly server?: string;
  readonly script?: string;
  readonly jsonl?: string;
}

/** For each action: the fields of which it needs exactly one, and an example. */
export const ACTIONS: Readonly<
  Record<CanvasInput["action"], { readonly needs?: readonly (keyof CanvasInput)[]; readonly example: string }>
> = {
  present: {
    needs: ["html", "markdown", "path"],
    example: 'For example {"action": "present", "title": "Sales", "html": "<h1>Sales</h1>"}.',
  },
  navigate: { needs: ["url"], example: 'For example {"action": "navigate", "url": "http://localhost:5173/"}.' },
  eval: { needs: ["script"], example: 'For example {"action": "eval", "script": "document.title"}.' },
  push: { needs: ["jsonl", "path"], example: "Each line is one JSON object, such as a surfaceUpdate." },
  hide: { example: '{"action": "hide"}' },
  snapshot: { example: '{"action": "snapshot"}' },
  reset: { example: '{"action": "reset"}' },
};

const words = (description: string, maxLength: number) =>
  ({ type: "string", minLength: 1, maxLength, description }) as const;

export const input = {
  type: "object",
  properties: {
    action: { type: "string", enum: Object.keys(ACTIONS) as CanvasInput["action"][], description: "The action." },
    title: words("The title of the panel.", 200),
    html: words("For present: the whole page, including styles and scripts.", 2_000_000),
    markdown: words("For present: Markdown text.", 2_000_000),
    path: { ...words("For present: an .html or .md file. For push: a .jsonl file.", 4_096), format: "path" },
    url: words("For navigate: a web address, or with server a ui:// resource.", 8_192),
    server: words("For navigate: the MCP server of the ui:// resource.", 200),
    script: words("For eval: JavaScript. The value of its last expression is returned; promises are awaited.", 100_000),
    jsonl: words("For push: A2UI messages, one JSON object per line.", 1_000_000),
  },
  required: ["action"],
  additionalProperties: false,
} as const;
