import type { AgentSession } from "../../session/index.ts";
import type { CanvasBoard, CanvasScreen } from "./board.ts";
import type { PageAnswer } from "./canvas-state.ts";
import { PageError, PageRequests } from "./page-requests.ts";

/** A session with a canvas. */
interface CanvasSession {
  readonly id: string;
  readonly agent: AgentSession;
  readonly canvas: CanvasBoard;
}

interface PageRequest {
  readonly version: number;
  readonly method: string;
  readonly params?: unknown;
}

interface Shown {
  readonly requests: PageRequests;
  readonly leaving: AbortController;
  remove(): void;
}

/** The canvases that one console shows. Calls of their pages end with the console. */
export class ShownCanvases {
  readonly #screen: CanvasScreen;
  readonly #shown = new Map<string, Shown>();

  constructor(send: (message: object) => void) {
    this.#screen = {
      showState: (session, state) => send({ type: "canvas", session, state }),
      showCall: (session, version, call) => send({ type: "canvas-call", session, version, call }),
      ask: (session, question) => send({ type: "canvas-question", session, question }),
    };
  }

  show(session: CanvasSession, isShown: boolean): undefined {
    this.#hide(session.id);
    if (!isShown) return;
    this.#shown.set(session.id, {
      requests: new PageRequests(session.agent, session.canvas),
      leaving: new AbortController(),
      remove: session.canvas.addScreen(this.#screen),
    });
  }

  closePanel(session: CanvasSession, version: number): undefined {
    session.canvas.closePanel(this.#screen, version);
  }

  answer(session: CanvasSession, id: string, answer: PageAnswer): undefined {
    session.canvas.answer(this.#screen, id, answer);
  }

  /** The answer to a page's request, as JSON-RPC has it. */
  async request({ id }: CanvasSession, { version, method, params }: PageRequest): Promise<object> {
    const shown = this.#shown.get(id);
    if (!shown) return { error: { code: -32000, message: "This console does not show the canvas." } };
    try {
      return { result: await shown.requests.handle(version, method, params, shown.leaving.signal) };
    } catch (thrown) {
      const code = thrown instanceof PageError ? thrown.code : -32603;
      return { error: { code, message: (thrown as Error).message } };
    }
  }

  close(): void {
    for (const id of [...this.#shown.keys()]) this.#hide(id);
  }

  #hide(id: string): void {
    const shown = this.#shown.get(id);
    this.#shown.delete(id);
    shown?.leaving.abort(new DOMException("The console was closed.", "AbortError"));
    shown?.remove();
  }
}
