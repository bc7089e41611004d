/** The domains that a page may use: `_meta.ui.csp` of MCP Apps. */
export interface PageDomains {
  readonly connectDomains?: readonly string[];
  readonly resourceDomains?: readonly string[];
  readonly frameDomains?: readonly string[];
  readonly baseUriDomains?: readonly string[];
}

/** The content of a canvas, as the console shows it. */
export type CanvasPage =
  | { readonly kind: "html" | "markdown"; readonly text: string }
  | { readonly kind: "address"; readonly url: string }
  | { readonly kind: "a2ui"; readonly messages: readonly object[] }
  | { readonly kind: "app"; readonly text: string; readonly server: string; readonly uri: string };

/** The call of a tool that a page of its server shows: MCP Apps tell the page its input, then its result. */
export interface ShownCall {
  readonly id: string;
  /** The definition of the tool, under the server's own name for it. */
  readonly tool: { readonly name: string; readonly inputSchema: object; readonly title?: string };
  readonly input: object;
  /** A `CallToolResult`, once there is one. */
  readonly result?: object;
  /** Why there will be none. */
  readonly cancelled?: string;
}

/** A canvas, as the server tells it to every console. */
export interface CanvasState {
  /** Another number means another page. A2UI messages that are added keep it. */
  readonly version: number;
  readonly title: string;
  readonly isHidden: boolean;
  /** Absent: the canvas is empty. */
  readonly page?: CanvasPage;
  /** The call that the page was opened for. */
  readonly call?: ShownCall;
  /** Why a page is not shown. */
  readonly fault?: string;
  readonly domains: PageDomains;
}

/** A question of the server to the page. The console passes it on and returns the answer. */
export interface CanvasQuestion {
  readonly id: string;
  readonly version: number;
  /** `ready` resolves when the page has loaded. */
  readonly method: "ready" | "eval" | "snapshot";
  readonly script?: string;
}

/** The answer of the page. The page controls all of it. */
export interface PageAnswer {
  readonly text?: string;
  readonly title?: string;
  readonly notes?: readonly string[];
  readonly error?: string;
}
