import { join } from "node:path";
import type { Settings } from "@haft/core/policy";
import type { Deferral } from "@haft/core/registry";
import { createDeferral, DEFAULT_CONTEXT_TOKENS, type PendingSources } from "@haft/core/registry/deferral";
import { fail, type State } from "@haft/core/tool";
import type { McpManager } from "@haft/mcp";
import { openStateFile } from "@haft/service";

/** The built-in tool that loads others. */
const LOADER = "ToolSearch";

/**
 * The meaning of `gates.toolSearch`. `auto` (the default) leaves out the definitions of external tools if they take more
 * than a tenth of the context, `auto:N` if more than N percent. `true` always leaves them out, `false` never. `undefined`:
 * never.
 *
 * @throws HaftError `validation_failed` for any other value.
 */
export function deferralOf(
  settings: Settings,
  sessionDir: string | undefined,
  mcp: () => McpManager,
): Deferral | undefined {
  const share = shareOf(settings.gates?.toolSearch ?? "auto");
  if (share === undefined) return undefined;
  return createDeferral({
    loader: LOADER,
    state: keptWith(sessionDir),
    maxTokens: share * DEFAULT_CONTEXT_TOKENS,
    arrivals: arrivalsOf(mcp),
  });
}

/** Stores the loaded tools with the session, so that a resumed session still has them. */
function keptWith(sessionDir: string | undefined): State {
  const file = openStateFile<unknown>(sessionDir && join(sessionDir, "loaded-tools.json"));
  return {
    get: <T>(name: string) => file.get(name) as T | undefined,
    set(name, value) {
      try {
        file.set(name, value);
      } catch {
        // Ignored, because a full disk must not stop a request: loaded tools then last for this process only.
      }
    },
  };
}

function shareOf(gate: boolean | string): number | undefined {
  if (gate === false) return undefined;
  if (gate === true) return 0;
  const percent = /^auto(?::(\d{1,3}))?$/.exec(gate);
  if (percent && Number(percent[1] ?? 0) <= 100) return Number(percent[1] ?? 10) / 100;
  return fail(
    "validation_failed",
    `gates.toolSearch cannot be "${gate}".`,
    'Write true, false, "auto" or "auto:N" with a share of the context in percent.',
  );
}

/** Includes a server that a person has not yet allowed to start. */
const isOnItsWay = (state: string): boolean => state === "connecting" || state === "waiting";

/** The session's pending servers, for a tool search that waits for them. */
function arrivalsOf(mcp: () => McpManager): PendingSources {
  return {
    connecting: () =>
      mcp()
        .list()
        .flatMap(({ server, state }) => (isOnItsWay(state) ? [server.name] : [])),
    failed: () =>
      mcp()
        .list()
        .flatMap(({ server, state, error }) =>
          state === "failed" ? [{ name: server.name, why: error?.message ?? "it gave no reason" }] : [],
        ),
    settled: (signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        signal.addEventListener("abort", () => resolve(), { once: true });
        void mcp().settled().then(resolve);
      }),
  };
}
