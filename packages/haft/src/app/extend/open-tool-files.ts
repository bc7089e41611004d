import { join } from "node:path";
import type { Registration, Registry } from "@haft/core/registry";
import {
  createToolFiles,
  hasToolFiles,
  TOOL_FOLDER,
  type ToolFiles,
  type ToolFolder,
  USER_TOOL_FOLDER,
} from "@haft/plugins";
import type { NoticeListener } from "../notice.ts";
import type { Setup } from "../setup/setup.ts";

/** The tools in files of the user, and of the project once it is trusted. */
export function openToolFiles(setup: Setup, registry: Registry, onNotice: NoticeListener): ToolFiles {
  const { root, trusted, userFile, home, options } = setup;
  const added = new Map<string, Registration>();
  const notice = (message: string, cure?: string): void =>
    onNotice({ code: "tool_file", severity: "warning", source: "tool files", message, ...(cure ? { cure } : {}) });
  const project: ToolFolder[] = root === undefined ? [] : [{ folder: join(root, TOOL_FOLDER), within: root }];
  const user: ToolFolder[] = userFile === undefined ? [] : [{ folder: join(home, USER_TOOL_FOLDER) }];
  if (!trusted && project.some(hasToolFiles))
    notice(
      "The tool files of this folder are ignored: it is not trusted.",
      "Look at them, then run `haft trust` to enable them.",
    );
  return createToolFiles({
    folders: options.tools === "read-only" ? [] : [...(trusted ? project : []), ...user],
    onTools(file, tools) {
      added.get(file)?.remove();
      added.delete(file);
      if (tools.length === 0) return;
      const registration = registry.add({ origin: "custom", name: file }, tools);
      added.set(file, registration);
      for (const { message, hint } of registration.refused) notice(message, hint);
    },
    onProblem: (message) => notice(message),
  });
}
