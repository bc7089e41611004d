import type { SettingsLayer } from "@haft/core/policy";
import { lintSettings, type SettingsRemark } from "@haft/policy-tools";
import { readMcpJson } from "./mcp-json.ts";
import { failedRuleTests } from "./rule-tests.ts";

/** Every remark on some settings files of a project: rule tests that fail, and what the lint finds. */
export async function lintFolder(
  layers: readonly SettingsLayer[],
  { root, home }: { readonly root: string; readonly home: string },
): Promise<readonly SettingsRemark[]> {
  const failed = await failedRuleTests(layers, { root, home });
  const servers = Object.keys(readMcpJson(root)?.servers ?? {});
  return [
    ...failed.map(({ path: _path, ...remark }): SettingsRemark => remark),
    ...lintSettings(layers, undefined, servers),
  ];
}
