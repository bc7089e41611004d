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
  if (recovered.end === "held") return "what it had changed in its view is kept aside and not applied.";
  if (recovered.end === "unknown") return "what it did in the workspace is not known.";
  const { paths, kept } = recovered;
  const left = kept === 0 ? "" : `; ${counted(kept, "path")} changed by others since stayed as they left it`;
  return `what it had changed was taken back, ${counted(paths, "path")}${left}.`;
}
