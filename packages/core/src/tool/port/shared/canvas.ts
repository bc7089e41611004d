/** The port to the canvas: a panel of the web console that shows pages in a sandbox. */

/** Content for the canvas. */
export type CanvasContent =
  /** One self-contained HTML file. */
  | { readonly kind: "html"; readonly text: string }
  | { readonly kind: "markdown"; readonly text: string }
  /** A web page, loaded by the person's browser. The agent cannot read it. */
  | { readonly kind: "address"; readonly url: string }
  /** A user interface of an MCP server: a `ui://` resource. */
  | { readonly kind: "app"; readonly server: string; readonly uri: string };

/** The contents of the canvas, as the agent may know them. */
export interface CanvasSnapshot {
  readonly title: string;
  /** An outline of the page: headings, texts, controls with their values. The page controls it. */
  readonly text: string;
  /** Errors of the page's scripts, and requests that its policy blocked. */
  readonly notes: readonly string[];
  /** The MCP server of the page, if it comes from one. */
  readonly server?: string;
}

/** The canvas of a session. Everything but `hide` fails with `tool_unavailable` and a link while no console shows the session. */
export interface Canvas {
  /** Replaces the content, and resolves when the page has loaded. */
  show(title: string, content: CanvasContent, signal: AbortSignal): Promise<CanvasSnapshot>;
  hide(): void;
  /** Runs a script in the page. Resolves with its value as JSON text. */
  evaluate(script: string, signal: AbortSignal): Promise<CanvasSnapshot>;
  snapshot(signal: AbortSignal): Promise<CanvasSnapshot>;
  /** Adds A2UI messages, one JSON object each, and shows the surface that they describe. */
  push(messages: readonly object[], signal: AbortSignal): Promise<CanvasSnapshot>;
  /** Removes the content. */
  reset(): void;
}
