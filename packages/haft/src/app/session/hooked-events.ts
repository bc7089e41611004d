import { readdirSync, statSync, watch } from "node:fs";
import { join } from "node:path";
import type { CallEvent, CallEventType } from "@haft/core/executor";
import type { Settings } from "@haft/core/policy";
import type { RunHooks } from "@haft/plugins/hook";
import type { EventHub } from "../event-hub.ts";
import type { HaftOptions } from "../haft.ts";

/** Runs the hooks of events that are not about one call. Returns the watch on files, if the settings want one. */
export function listenForHooks(
  hub: EventHub,
  runHooks: RunHooks,
  { settings, options, cwd }: { readonly settings: Settings; readonly options: HaftOptions; readonly cwd: string },
): { close(): void } | undefined {
  if (settings.hooks?.Notification)
    hub.on(
      (event) => {
        if (event.type !== "tool:permission:request") return;
        const { title, why } = event.request;
        void runHooks("Notification", { title, message: why, notification_type: "permission_prompt" });
      },
      ["tool:permission:request"],
    );
  if (settings.hooks?.PermissionDenied || options.hookCallbacks) hub.on(denialHook(runHooks), DENIALS);
  return settings.hooks?.FileChanged ? watchFiles(cwd, runHooks) : undefined;
}

/** The events by which a refused call ends. */
const DENIALS: readonly CallEventType[] = ["tool:execution:error"];

/** Runs the PermissionDenied hooks for calls that were refused. */
const denialHook =
  (runHooks: RunHooks) =>
  (event: CallEvent): void => {
    if (event.type !== "tool:execution:error" || event.outcome.status !== "denied") return;
    const { call, input, result } = event.outcome;
    const reason = result.error?.message ?? "";
    void runHooks("PermissionDenied", { tool_name: call.tool, tool_input: input, tool_use_id: call.id, reason });
  };

const ownStamp = (path: string): string | undefined => {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    return `${mtimeMs} ${size} ${ino}`;
  } catch {
    return undefined;
  }
};

/** Files whose state is known from the start. */
const MOST_FILES = 5_000;

/** Runs the FileChanged hooks for files directly in the folder of the session, whatever changed them. */
function watchFiles(folder: string, runHooks: RunHooks): { close(): void } {
  const names = readdirSync(folder).slice(0, MOST_FILES);
  const stamps = new Map<string, string | undefined>(names.map((name) => [name, ownStamp(join(folder, name))]));
  const watcher = watch(folder, { persistent: false }, (_, name) => {
    if (name === null) return;
    const path = join(folder, name);
    const [before, now] = [stamps.get(name), ownStamp(path)];
    stamps.set(name, now);
    // One change is often reported several times.
    if (before === now) return;
    const event = now === undefined ? "unlink" : before === undefined ? "add" : "change";
    void runHooks("FileChanged", { file_path: path, file_name: name, event });
  });
  watcher.on("error", () => watcher.close());
  return { close: () => watcher.close() };
}
