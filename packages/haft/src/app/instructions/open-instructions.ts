import { read } from "@haft/core/tool";
import type { NoticeListener } from "../notice.ts";
import type { LivePolicy } from "../setup/live-policy.ts";
import type { Setup } from "../setup/setup.ts";
import { readInstructions } from "./read-instructions.ts";

/** The instruction files of a session, read again at each call. A problem is reported once. */
export function openInstructions(
  { options, root, userFile, home, trusted }: Setup,
  live: LivePolicy,
  onNotice: NoticeListener,
): () => Promise<string> {
  const told = new Set<string>();
  const tool = { name: "instructions", origin: "builtin" } as const;
  return () =>
    readInstructions({
      ...{ root, trusted, cwd: live.cwd() },
      ...(userFile === undefined ? {} : { home, configHome: options.env?.XDG_CONFIG_HOME }),
      mayRead: async (path) => live.now().decide({ tool, input: {}, effects: [read(path)] }).decision === "allow",
      onNotice(notice) {
        if (told.has(notice.message)) return;
        told.add(notice.message);
        onNotice(notice);
      },
    });
}
