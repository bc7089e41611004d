import { type Context, Hono } from "hono";
import { frameResponse } from "../canvas/frame.ts";
import type { Guard, Refusal } from "../http/guard.ts";
import type { Logins } from "../http/logins.ts";
import type { Tokens } from "../http/tokens.ts";
import type { ServerParts } from "../live/parts.ts";
import { addRoutes, type Route } from "../route/route.ts";
import { openApiOf } from "./openapi.ts";
import { routesOf } from "./routes.ts";

export interface ApiOptions {
  readonly parts: ServerParts;
  /** Lets a client in, by token or cookie. */
  readonly guard: Guard;
  /** Refuses a request under a foreign name; for pages that need no token. */
  readonly originCheck: (request: Parameters<Guard>[0]) => Refusal | undefined;
  readonly tokens: Tokens;
  readonly logins: Logins;
  /** Serves the files of the console. Absent: there is none. */
  readonly page?: (path: string) => Promise<Response | undefined>;
}

/** Nothing comes from elsewhere, no page may frame this one, and no text of a tool becomes a script. */
const HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; " +
    "frame-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
};

/** The frame of the canvas has a policy of its own, and only the console shows it. */
const FRAME_HEADERS: Readonly<Record<string, string>> = (({ "Content-Security-Policy": _, ...rest }) => ({
  ...rest,
  "X-Frame-Options": "SAMEORIGIN",
}))(HEADERS as Readonly<Record<string, string>> & { "Content-Security-Policy": string });

/** The HTTP face of a server, without a socket: for a listener, and for tests. */
export function createApi({ parts, guard, originCheck, tokens, logins, page }: ApiOptions): Hono {
  const app = new Hono();
  const clients = new WeakMap<Request, string>();
  app.use(async (context, next) => {
    const head = headOf(context);
    const isPublic = !head.url.startsWith("/api/") || head.url === "/api/login";
    const known = isPublic ? (originCheck(head) ?? { client: "" }) : guard(head);
    if (!("client" in known)) return withHeaders(refused(known));
    if (head.url.split("?", 1)[0] === "/canvas/frame")
      return withHeaders(frameResponse(context.req.query("domains")), FRAME_HEADERS);
    clients.set(context.req.raw, known.client);
    await next();
    withHeaders(context.res);
  });
  app.post("/api/login", async (context) => {
    const { token } = (await context.req.json().catch(() => ({}))) as { readonly token?: unknown };
    const client = tokens.clientOf(`Bearer ${typeof token === "string" ? token : ""}`);
    if (client === undefined) return refused({ status: 401, message: "Unauthorized: invalid token." });
    context.header("Set-Cookie", logins.open(client));
    return context.json({ client });
  });
  app.post("/api/logout", (context) => {
    context.header("Set-Cookie", logins.close(context.req.header("cookie")));
    return context.json({});
  });
  const routes: readonly Route[] = routesOf(parts);
  const document = openApiOf(routes, parts.version);
  app.get("/api/openapi.json", (context) => context.json(document));
  addRoutes(app, routes, (context) => clients.get(context.req.raw) ?? "");
  app.get("*", async (context) => {
    const path = context.req.path;
    const found = path.startsWith("/api/") ? undefined : await page?.(path);
    return found ?? refused({ status: 404, message: `Not found: ${path}.` });
  });
  app.notFound((context) => refused({ status: 404, message: `Not found: ${context.req.method} ${context.req.path}.` }));
  return app;
}

function headOf(context: Context): Parameters<Guard>[0] & { readonly url: string } {
  const { pathname, search } = new URL(context.req.url);
  const headers = Object.fromEntries(context.req.raw.headers);
  return { url: `${pathname}${search}`, method: context.req.method, headers };
}

function withHeaders(response: Response, headers: Readonly<Record<string, string>> = HEADERS): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  if (!response.headers.has("Cache-Control")) response.headers.set("Cache-Control", "no-store");
  return response;
}

const refused = ({ status, message, headers }: Refusal): Response =>
  Response.json(
    { error: { code: status === 404 ? "not_found" : "refused", message } },
    { status, ...(headers ? { headers } : {}) },
  );
