import { modes } from "@haft/core/policy";
import { z } from "zod";

/** Schemas that several operations share. */

export const sessionId = z.object({ id: z.string().min(1).max(64) });
export const mode = z
  .enum(modes as unknown as readonly [string, ...string[]])
  .transform((name) => name as (typeof modes)[number]);
export const rules = z.object({
  allow: z.array(z.string()).optional(),
  ask: z.array(z.string()).optional(),
  deny: z.array(z.string()).optional(),
});
/** Number of items of a window. */
export const limit = z.coerce.number().int().min(1).max(1_000).default(200);
/** Any JSON. */
export const json = z.unknown();
export const nothing = z.object({});
