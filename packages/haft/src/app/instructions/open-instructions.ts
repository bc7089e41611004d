import { read } from "@haft/core/tool";
import type { RunHooks } from "@haft/plugins/hook";
import type { NoticeListener } from "../notice.ts";
import type { LivePolicy } from "../setup/live-policy.ts";
import type { Setup } from "../setup/setup.ts";

/** The instruction files of a session, read again at each call. A problem is reported once. */
export function openInstructions(
  { options, root, userFile, home, trusted }: Setup,
  live: LivePolicy,
  onNotice: NoticeListener,
  runHooks: RunHooks,
): () => Promise<string> {
  const told = new Set<string>();
  const loaded = new Set<string>();
  const tool = { name: "instructions", origin: "builtin" } as const;
  return async () => {
    const { readInstructions } = await import("./read-instructions.ts");
    return readInstructions({
      ...{ root, trusted, cwd: live.cwd() },
      ...(userFile === undefined ? {} : { home, configHome: options.env?.XDG_CONFIG_HOME }),
      onRead(path, isOwn, depth) {
        if (loaded.has(path)) return;
        loaded.add(path);
        void runHooks("InstructionsLoaded", {
          file_path: path,
          memory_type: isOwn ? "Project" : "User",
          load_reason: depth > 0 ? "include" : "session_start",
        });
      },
      mayRead: async (path) => live.now().decide({ tool, input: {}, effects: [read(path)] }).decision === "allow",
      onNotice(notice) {
        if (told.has(notice.message)) return;
        told.add(notice.message);
        onNotice(notice);
      },
    });
  };
}
