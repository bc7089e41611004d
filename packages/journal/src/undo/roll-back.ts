import { HaftError } from "@haft/core/tool";
import type { Ledger } from "../ledger.ts";
import type { Entry } from "../store/record.ts";
import type { OnRecovered } from "../store/recovered.ts";
import { carryOut } from "./perform.ts";
import { planOf } from "./plan.ts";
import { stands } from "./select.ts";

/**
 * Undoes the writes of killed processes that belong to incomplete groups. It is a normal undo: paths that others have
 * changed since stay as they are.
 */
export async function rollBack(ledger: Ledger, isDead: (writer: string) => boolean, tell: OnRecovered): Promise<void> {
  const isHalf = ({ together, writer }: { together?: string; writer: string }) =>
    together !== undefined && isDead(writer);
  const halves = ledger.history().entries.filter((entry) => stands(entry) && isHalf(entry));
  for (const half of [...Map.groupBy(halves, ({ together }) => together).values()].reverse()) {
    try {
      const plan = planOf("undo", half.toReversed(), ledger.history());
      const { changed, kept } = await carryOut(ledger, plan, { force: true });
      const [{ session, call, tool }] = half as [Entry];
      tell({ session, call, tool, end: "taken_back", paths: changed.length, kept: kept.length });
    } catch (thrown) {
      // Changes that cannot be undone now (a full disk) remain for the next undo.
      if (!HaftError.is(thrown)) throw thrown;
    }
  }
}
