// The module of the app that the samples import from. Only the path of an import differs from the printed ones.
import { buildToolFunctions } from "@haft/core/compat/build-tool";
import { ToolRegistry } from "@haft/core/compat/declarative";
import { semaFunctions } from "@haft/core/compat/sema";
import { toolFunctions } from "@haft/core/compat/tool-define";
import { shapeSession } from "../session.ts";

export const session = await shapeSession();
export const sema = semaFunctions(session.haft);
export const defined = toolFunctions(() => session.haft);
export const built = buildToolFunctions(session.haft);
export const declared = new ToolRegistry(session.haft);
