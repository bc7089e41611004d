import { isRecord, rewrite, withKeys } from "../json/walk.ts";
import type { JsonSchema } from "../standard.ts";

/** Providers want nothing beside a reference, so its description moves into a wrapper. */
export function bareRef(node: JsonSchema): JsonSchema {
  const { $ref, description, $defs } = node;
  const defs = $defs === undefined ? {} : { $defs };
  return description === undefined ? { $ref, ...defs } : { anyOf: [{ $ref }], description, ...defs };
}

/** The schema with its parts in `$defs`, the only place that providers know; older drafts call it `definitions`. */
export function withDefs(schema: JsonSchema): JsonSchema {
  if (!isRecord(schema.definitions)) return schema;
  const { definitions, ...rest } = schema;
  const old = "#/definitions/";
  return rewrite({ ...rest, $defs: { ...(isRecord(rest.$defs) ? rest.$defs : {}), ...definitions } }, (node) =>
    typeof node.$ref === "string" && node.$ref.startsWith(old)
      ? withKeys(node, { $ref: `#/$defs/${node.$ref.slice(old.length)}` })
      : node,
  );
}
