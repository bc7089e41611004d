/** @module The same tools under the names that each model family knows. */
import { nearest } from "../schema/index.ts";
import { fail } from "../tool/index.ts";
import { createDialect, type Dialect } from "./dialect.ts";
import { antigravity } from "./family/antigravity.ts";
import { claude } from "./family/claude.ts";
import { codex } from "./family/codex.ts";
import { gemini } from "./family/gemini.ts";
import { openclaw } from "./family/openclaw.ts";
import { opencode1, opencode2 } from "./family/opencode.ts";
import { sema } from "./family/sema.ts";
import type { DialectTable } from "./table.ts";

export { createDialect, type Dialect } from "./dialect.ts";
export type { Conversion, DialectTable, DialectTool } from "./table.ts";

const TABLES: readonly DialectTable[] = [claude, gemini, antigravity, codex, opencode1, opencode2, openclaw, sema];

/** The names of all dialects. */
export const dialectNames: readonly string[] = TABLES.map(({ name }) => name);

/**
 * A dialect by its name. `opencode` means its present version.
 * @throws HaftError `validation_failed` for an unknown name.
 */
export function dialectNamed(name: string): Dialect {
  const known = TABLES.find((table) => table.name === (name === "opencode" ? "opencode@2" : name));
  if (known) return createDialect(known);
  const meant = nearest(name, dialectNames);
  return fail(
    "validation_failed",
    `There is no dialect "${name}".${meant ? ` Did you mean "${meant}"?` : ""}`,
    `Known dialects: ${dialectNames.join(", ")}.`,
  );
}
