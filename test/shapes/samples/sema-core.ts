export * from "@haft/core/compat/sema";

import { sema } from "./host.ts";

export const { getBuiltinTools, getTools, getToolInfos, buildTools } = sema;
