import { fail, type HeldChanges, type HeldNote } from "@haft/core/tool";
import type { Ledger } from "../ledger.ts";
import type { Held, HeldReason } from "../store/record.ts";

/** Why changes are held, in a few words that follow the call. */
export const HELD_WHY: Readonly<Record<HeldReason, string>> = {
  timeout: "ran out of time",
  cancelled: "was cancelled",
  killed: "was cut off when Haft was killed",
  conflict: "others changed the same paths",
  failed: "could not be applied",
  review: "waits for a yes",
  protected: "runs automatically or configures tools",
};

/** The parts of the journal that the port needs. */
export interface HeldChangesOptions {
  readonly ledger: Ledger;
  readonly session: string;
  /** Folders outside the workspace into which links may point. */
  readonly additional: () => readonly string[];
  /** Runs `work` after all unfinished work is finished. */
  settled<T>(work: () => Promise<T>): Promise<T>;
  /** The same for work that changes something: it waits for earlier work, also of other processes. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
}

/** The held changes of one session, for its tools. */
export function heldChanges({ ledger, session, additional, settled, inTurn }: HeldChangesOptions): HeldChanges {
  const own = () => ledger.history().held.filter((held) => held.session === session);
  const named = (id: string): Held => {
    const all = own();
    const hint =
      all.length === 0 ? "There are no held changes." : `There are: ${all.map((held) => held.id).join(", ")}.`;
    return all.find((held) => held.id === id) ?? fail("invalid_input", `There are no held changes "${id}".`, hint);
  };
  return {
    list: () => own().map(noteOf),
    find: (id) =>
      settled(async () => {
        const held = own().find((one) => one.id === id);
        if (!held) return undefined;
        const { showHeld } = await import("./held.ts");
        const { manifest, conflicts, previews } = await showHeld(ledger, held, additional());
        const paths = manifest.changes.map(({ path, change, doubt }) => ({
          ...{ path, change },
          ...(doubt === undefined ? otherDoubt(held) : { doubt }),
        }));
        return {
          ...noteOf(held),
          digest: manifest.digest,
          paths,
          conflicts,
          show: async () => (await import("../manifest/manifest.ts")).displayOf(ledger.root, previews),
        };
      }),
    diff: (id) =>
      settled(async () => {
        const { showHeld } = await import("./held.ts");
        const { changesText } = await import("../manifest/manifest.ts");
        return changesText(ledger.root, (await showHeld(ledger, named(id), additional())).previews);
      }),
    commit: (id, digest) =>
      inTurn(async () => {
        const { applyHeld } = await import("./held.ts");
        const { changed } = await applyHeld(ledger, named(id), { digest });
        return changed.map(({ path }) => path);
      }),
    discard: (id) => inTurn(async () => (await import("./held.ts")).discardHeld(ledger, named(id))),
  };
}

/** Changes replace what others have written, so a person has to see them. */
const otherDoubt = ({ reason }: Held): { readonly doubt?: string } =>
  reason === "conflict" ? { doubt: "Others have changed it too; their version would be replaced." } : {};

const noteOf = ({ id, at, call, tool, reason }: Held): HeldNote => ({ id, at, call, tool, why: HELD_WHY[reason] });
