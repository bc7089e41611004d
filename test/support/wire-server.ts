import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One step of an answer: an event to send, or something to wait for before the next one goes out. */
export type WireStep = object | (() => Promise<unknown>);

export interface WireAnswer {
  readonly status?: number;
  /** A plain JSON answer. */
  readonly json?: unknown;
  /** A stream of server-sent events. */
  readonly events?: readonly WireStep[];
  /** Anthropic names its events, and OpenAI ends its streams with a line of its own. */
  readonly style?: "anthropic" | "openai" | "gemini";
  /** Drops the connection after the last event, in the middle of the message. */
  readonly breakOff?: boolean;
}

export interface WireServer extends AsyncDisposable {
  /** Without a path. */
  readonly url: string;
  /** The bodies of the requests so far, as they came over the wire. */
  readonly bodies: readonly string[];
  /** Their paths. */
  readonly paths: readonly string[];
}

/** A real HTTP server that answers each request with the next of the given answers, or with the one for its body. */
export async function wireServer(answers: readonly WireAnswer[] | ((body: string) => WireAnswer)): Promise<WireServer> {
  const bodies: string[] = [];
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? "");
    void readBody(request).then((body) => {
      const at = bodies.push(body) - 1;
      const answer = typeof answers === "function" ? answers(body) : answers[at];
      return answer ? send(response, answer) : send(response, { status: 400, json: { error: "no answer left" } });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    ...{ bodies, paths },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

async function send(response: ServerResponse, answer: WireAnswer): Promise<void> {
  if (!answer.events) {
    response.writeHead(answer.status ?? 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer.json));
    return;
  }
  response.writeHead(answer.status ?? 200, { "content-type": "text/event-stream" });
  for (const step of answer.events) {
    if (typeof step === "function") {
      await step();
      continue;
    }
    const name =
      answer.style === "openai" || answer.style === "gemini" ? "" : `event: ${(step as { type?: string }).type}\n`;
    response.write(`${name}data: ${JSON.stringify(step)}\n\n`);
  }
  if (answer.breakOff) {
    // The written bytes must reach the other side before the connection dies.
    setTimeout(() => response.destroy(), 20);
    return;
  }
  if (answer.style === "openai") response.write("data: [DONE]\n\n");
  response.end();
}
