export * from "@haft/core/compat/tool-define";

import { defined } from "./host.ts";

export const {
  initializeToolRegistry,
  registerTool,
  registerToolV2,
  unregisterTool,
  executeTool,
  executeToolDirectly,
  getAllToolsAsync,
  getEnabledToolsAsync,
  getToolsForAI,
  getMCPToolsForAI,
} = defined;
