/** The plugin with which opencode asks Haft before a tool runs: its plugins are JavaScript and cannot ask a person. */
export const opencodePlugin = (command: string): string => `// Written by \`haft hook install opencode\`.
import { spawnSync } from "node:child_process";

export const Haft = async ({ directory }) => ({
  "tool.execute.before": async ({ tool, sessionID }, { args }) => {
    const input = JSON.stringify({ tool, args, sessionID, cwd: directory });
    const { status, stdout } = spawnSync(${JSON.stringify(command)}, { shell: true, input, encoding: "utf8", timeout: 15000 });
    let answer;
    try {
      answer = JSON.parse(stdout);
    } catch {
      answer = undefined;
    }
    if (status !== 0 || answer === undefined) throw new Error("Haft gave no answer about this call.");
    if (answer.decision) throw new Error(answer.reason);
  },
});
`;
