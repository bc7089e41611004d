import { z } from "zod";
import type { Route } from "../route/route.ts";

/** The OpenAPI 3.1 document of the operations, made from the schemas that check the requests. */
export function openApiOf(routes: readonly Route[], version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const one of routes) {
    paths[one.path] ??= {};
    paths[one.path]![one.method] = operationOf(one);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Haft server",
      version,
      description: "Sessions, approvals, journal, policy and tools of `haft serve`.",
    },
    security: [{ token: [] }],
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Problem: schemaOf(problem, "output") },
    },
    paths,
  };
}

const problem = z.object({ error: z.object({ code: z.string(), message: z.string(), hint: z.string().optional() }) });

function operationOf({ method, path, summary, params, query, body, answer }: Route): object {
  return {
    summary,
    operationId: `${method}${path.replace(/^\/api/, "").replace(/[/{}.-]+(\w)?/g, (_, letter: string) => (letter ?? "").toUpperCase())}`,
    tags: [path.split("/")[2] ?? ""],
    ...(params || query ? { parameters: [...parametersOf(params, "path"), ...parametersOf(query, "query")] } : {}),
    ...(body
      ? { requestBody: { required: true, content: { "application/json": { schema: schemaOf(body, "input") } } } }
      : {}),
    responses: {
      200: { description: "OK", content: { "application/json": { schema: schemaOf(answer, "output") } } },
      default: {
        description: "Error",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    },
  };
}

function parametersOf(schema: z.ZodObject | undefined, place: "path" | "query"): object[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema, "input") as {
    properties?: Record<string, object>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, own]) => ({
    ...{ name, in: place, schema: own },
    required: place === "path" || required.includes(name),
  }));
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Record<string, unknown>;
  return rest;
}
