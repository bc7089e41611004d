// A workspace whose user opened one web server of this machine.
import { type Reply, webServer } from "../../../host/test/support/web-server.ts";
import type { HaftOptions } from "../../src/app/haft.ts";
import { mcpWorkspace, USER_SETTINGS } from "./mcp-workspace.ts";

export async function webWorkspace(
  pages: Readonly<Record<string, Reply>>,
  options: HaftOptions = {},
  settings: object = {},
) {
  const server = await webServer(pages);
  const { web = {}, ...others } = settings as { readonly web?: object };
  const workspace = mcpWorkspace({
    [USER_SETTINGS]: { web: { privateHosts: [`127.0.0.1:${server.port}`], ...web }, ...others },
  });
  const haft = await workspace.open({ rules: { allow: ["connect(127.0.0.1)"] }, ...options });
  return {
    ...{ server, haft, workspace },
    fetch: (path: string, more: object = {}) => haft.call("WebFetch", { url: `${server.origin}${path}`, ...more }),
    async [Symbol.asyncDispose]() {
      await haft[Symbol.asyncDispose]();
      workspace[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}
