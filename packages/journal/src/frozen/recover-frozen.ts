import { join } from "node:path";
import { isAlive, withFileLock } from "@haft/host";
import type { Ledger } from "../ledger.ts";
import type { OnRecovered } from "../store/recovered.ts";
import { agentFolders } from "./agent-folders.ts";
import { dropFrozen, ownerOf, readFrozen } from "./freeze.ts";
import { holdFrozen } from "./merge.ts";

/** Holds what agents of killed processes did in their copies, and removes the copies. */
export async function recoverFrozen(ledger: Ledger, tell: OnRecovered): Promise<void> {
  const { annex } = ledger;
  if (annex === undefined || !agentFolders(annex).some((folder) => isLeft(ledger, folder))) return;
  await withFileLock(join(annex, "frozen", "lock"), async () => {
    for (const folder of agentFolders(annex).filter((one) => isLeft(ledger, one))) {
      const frozen = readFrozen(ledger, folder);
      const held = frozen ? holdFrozen(ledger, frozen) : dropFrozen({ folder });
      if (!frozen || held === undefined) continue;
      const { session, id: call, tool } = frozen.owner;
      tell({ session, call, tool, end: "held", held, ways: ledger.ways.held(held) });
    }
  });
}

/** Whether nobody works in a copy any more. One without an owner is about to be made or removed. */
function isLeft(ledger: Ledger, folder: string): boolean {
  const owner = ownerOf(folder);
  if (!owner) return !ledger.hasOtherWriters();
  return owner.writer !== ledger.writer && !isAlive(owner.writer);
}
