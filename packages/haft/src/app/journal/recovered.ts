import { counted } from "@haft/core/tool";
import type { Recovered } from "@haft/journal";
import type { Notice } from "../notice.ts";

/** The notice about a call that was cut off when its Haft was killed. */
export function recoveredNotice(recovered: Recovered): Notice {
  const { tool, call, session, end } = recovered;
  return {
    ...{ code: "call_cut_off", severity: "notice", source: "journal" },
    message: `Haft was killed in the middle of ${tool} (call ${call} of session ${session}): ${endOf(recovered)}`,
    ...(end === "held" ? { cure: recovered.ways } : {}),
  };
}

function endOf(recovered: Recovered): string {
  if (recovered.end === "held") return "its changes are held and not applied.";
  if (recovered.end === "unknown") return "its changes in the workspace are unknown.";
  if (recovered.end === "applied") return "its changes are now applied. `haft undo` takes them back.";
  const { paths, kept } = recovered;
  const left = kept === 0 ? "" : `; ${counted(kept, "path")} changed by others since were left alone`;
  return `its changes were undone, ${counted(paths, "path")}${left}.`;
}
