import { familyOf, type PolicyTool } from "../policy/index.ts";
import type { Entry } from "./registry.ts";

/** A registered tool in the form that rules and settings use. */
export function policyToolOf({ tool, source }: Entry): PolicyTool {
  const { name, aliases, autoExecute } = tool;
  const family = tool.rules?.family ?? familyOf(name, tool.can);
  return {
    name,
    origin: source.origin,
    ...(aliases ? { aliases } : {}),
    ...(autoExecute === undefined ? {} : { autoExecute }),
    ...(family === undefined ? {} : { family }),
    ...(source.origin === "mcp" ? { server: source.name, ...remoteNameOf(tool) } : {}),
  };
}

/** A remote tool's name on its server. A local tool with a similar name has none. */
const remoteNameOf = (tool: object): Pick<PolicyTool, "remoteName"> =>
  "mcpInfo" in tool ? { remoteName: (tool as Remote).mcpInfo.toolName } : {};

interface Remote {
  readonly mcpInfo: { readonly toolName: string };
}
