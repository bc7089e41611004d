import { HaftError } from "@haft/core/tool";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { Problem, problemOf } from "./problem.ts";

/** A request after its parts were checked. */
export interface Asked<P = unknown, Q = unknown, B = unknown> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The client, by its token. */
  readonly client: string;
  readonly signal: AbortSignal;
}

/** One operation of the API. The server, the OpenAPI document and the tests know it from here. */
export interface Route {
  readonly method: "get" | "post" | "put" | "delete";
  /** In OpenAPI's form: `/api/sessions/{id}`. */
  readonly path: string;
  readonly summary: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly answer: z.ZodType;
  /** Returns JSON data, or a whole response. */
  run(asked: Asked): unknown;
}

interface Typed<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType>
  extends Omit<Route, "run" | "params" | "query" | "body"> {
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  run(asked: Asked<z.output<P>, z.output<Q>, z.output<B>>): unknown;
}

/** Declares an operation, with types from its schemas. */
export const route = <P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType>(
  typed: Typed<P, Q, B>,
): Route => typed as unknown as Route;

/** Largest body of a request, in bytes. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** Adds the operations to an app. `clientOf` gives the client that the guard let in. */
export function addRoutes(app: Hono, routes: readonly Route[], clientOf: (context: Context) => string): void {
  for (const one of routes) {
    app.on(one.method.toUpperCase(), one.path.replace(/\{(\w+)\}/g, ":$1"), async (context) => {
      try {
        const answer = await one.run({
          params: checked(one.params, context.req.param(), "path"),
          query: checked(one.query, context.req.query(), "query"),
          body: one.body ? checked(one.body, await bodyOf(context), "body") : undefined,
          client: clientOf(context),
          signal: context.req.raw.signal,
        });
        return answer instanceof Response ? answer : context.json((answer ?? {}) as object);
      } catch (thrown) {
        return problemOf(thrown);
      }
    });
  }
}

async function bodyOf(context: Context): Promise<unknown> {
  const type = context.req.header("content-type") ?? "";
  if (!/^application\/json\b/i.test(type))
    throw new Problem(415, "invalid_input", "The Content-Type must be application/json.");
  const text = await context.req.text();
  if (text.length > MAX_BODY_BYTES)
    throw new Problem(413, "invalid_input", `The body is over ${MAX_BODY_BYTES} bytes.`);
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    throw new Problem(400, "invalid_json", "The body is not JSON.");
  }
}

function checked(schema: z.ZodType | undefined, value: unknown, part: string): unknown {
  if (!schema) return value;
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw new HaftError({
    code: "invalid_input",
    message: `The ${part} of the request is invalid: ${z.prettifyError(read.error).replaceAll("\n", " ")}`,
    hint: "See /api/openapi.json.",
  });
}
