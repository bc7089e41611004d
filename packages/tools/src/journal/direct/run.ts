import type { JournalCall } from "@haft/core/executor";
import type { RunOutcome, RunRequest } from "@haft/core/tool";
import type { Ledger } from "../ledger.ts";

export async function runDirect(
  _ledger: Ledger,
  _call: JournalCall,
  request: RunRequest,
  run: (request: RunRequest) => Promise<RunOutcome>,
): Promise<RunOutcome> {
  return run(request);
}
