import { CanvasBoard } from "../server/canvas/board.ts";
import type { ServerHandle, ServerOptions } from "../server/index.ts";
import type { AgentSession } from "../session/index.ts";

/** Options of the server that shows the canvas. */
export type CanvasServer = Pick<ServerOptions, "version" | "base" | "cwd" | "state" | "consoleFolder">;

/** The canvas of a terminal session: a page of a server on this machine, which is started for the first page. */
export class TerminalCanvas {
  readonly board: CanvasBoard;
  readonly #options: () => Promise<CanvasServer>;
  #agent: AgentSession | undefined;
  #server: Promise<{ readonly handle: ServerHandle; readonly link: string }> | undefined;

  /** `onUnseen`: a page is there, and no browser shows it. */
  constructor(options: () => Promise<CanvasServer>, onUnseen: () => void) {
    this.#options = options;
    this.board = new CanvasBoard({ link: () => "the link in the terminal (/canvas shows it)", onUnseen });
  }

  attach(agent: AgentSession): void {
    this.#agent = agent;
    this.board.attach(agent);
  }

  /** The address of the panel. It carries a token, so it is for the person alone. */
  async link(): Promise<string> {
    this.#server ??= this.#start();
    return (await this.#server).link;
  }

  async close(): Promise<void> {
    const server = await this.#server?.catch(() => undefined);
    await server?.handle.close();
  }

  async #start() {
    const agent = this.#agent;
    if (!agent) throw new Error("The session is not open yet.");
    const [{ createTokens, newToken, startServer }, options] = await Promise.all([
      import("../server/index.ts"),
      this.#options(),
    ]);
    const token = newToken();
    const handle = await startServer({
      ...options,
      ...{ host: "127.0.0.1", port: 0, tokens: createTokens(new Map([["you", token]])) },
    });
    handle.parts.rooms.lend(agent, this.board);
    return { handle, link: `${handle.url}/#token=${token}&page=/s/${agent.id}/canvas` };
  }
}
