import { agentFolders } from "./frozen/agent-folders.ts";
import type { Ledger } from "./ledger.ts";
import type { OnRecovered } from "./store/recovered.ts";

/**
 * Finishes work that killed processes had begun. For a single write, the current state counts as the result. The
 * changes of a command, an undo or a redo are completed, unless others have changed the paths meanwhile. Writes that
 * belong together are all undone.
 */
export async function recover(ledger: Ledger, tell: OnRecovered = () => {}): Promise<void> {
  const claimed = ledger.claimDead();
  if (claimed.length > 0) await (await import("./finish-dead.ts")).finishDead(ledger, claimed, tell);
  if (ledger.annex !== undefined && agentFolders(ledger.annex).length > 0)
    await (await import("./frozen/recover-frozen.ts")).recoverFrozen(ledger, tell);
}
