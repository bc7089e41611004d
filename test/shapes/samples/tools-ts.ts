export * from "@haft/core/compat/build-tool";

import { built } from "./host.ts";

export const { getAllBaseTools, filterToolsByDenyRules } = built;
