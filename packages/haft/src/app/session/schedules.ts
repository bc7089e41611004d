import { type Rehearsal, type Schedule, type ScheduleDraft, type Schedules, toJson } from "@haft/core/tool";
import type { StateFolder } from "@haft/service";
import { expressionProblem, openSchedules, type ScheduleStore } from "@haft/service/schedules";
import type { HaftOptions } from "../haft.ts";
import type { Rehearse } from "./sessions.ts";

export interface SchedulesOptions {
  readonly state: StateFolder;
  readonly folder: string;
  /** The options of the session: a firing gets them, without its rules that allow. */
  readonly options: HaftOptions;
  mode(): string;
  model(): string | undefined;
  /** Absent without a live agent. */
  rehearse(): Rehearse | undefined;
}

/** The schedules of a folder, as a session reaches them. */
export function schedulesPort({ state, folder, options, mode, model, rehearse }: SchedulesOptions): Schedules {
  const rehearsed = new Map<string, Promise<Rehearsal>>();

  async function using<T>(work: (store: ScheduleStore) => T): Promise<T> {
    const store = await openSchedules(state);
    try {
      return work(store);
    } finally {
      store.close();
    }
  }
  function rehearsal(draft: ScheduleDraft): Promise<Rehearsal> {
    const key = JSON.stringify([draft, mode()]);
    const run = rehearse();
    const known = rehearsed.get(key) ?? (run ? run(draft) : Promise.resolve(NOT_REHEARSED));
    rehearsed.set(key, known);
    known.catch(() => rehearsed.delete(key));
    return known;
  }
  const own = (store: ScheduleStore, id: string): Schedule => {
    const found = store.get(id);
    return found.folder === folder ? found : store.get("");
  };

  return {
    problem: ({ expression, zone }) => expressionProblem(expression, zone),
    rehearse: rehearsal,
    async add(draft) {
      const { grant } = await rehearsal(draft);
      const name = model();
      const rights = { folder, mode: mode(), grant, options: storedOptions(options), ...(name ? { model: name } : {}) };
      return using((store) => store.add(draft, rights, Date.now()));
    },
    list: () => using((store) => store.list(folder)),
    get: (id) => using((store) => own(store, id)),
    firings: (id, limit) => using((store) => store.firings(own(store, id).id, limit)),
    setEnabled: (id, enabled) =>
      using((store) => {
        store.setEnabled(own(store, id).id, enabled, Date.now());
        return own(store, id);
      }),
    remove: (id) =>
      using((store) => {
        const gone = own(store, id);
        store.remove(id);
        return gone;
      }),
    runSoon: (id) =>
      using((store) => {
        store.runAt(own(store, id).id, Date.now());
        return own(store, id);
      }),
  };
}

const NOT_REHEARSED: Rehearsal = { grant: [], ungranted: [], skipped: "no live agent runs here." };

/** Options that outlive the process. Rules that allow stay behind: the grant of the schedule replaces them. */
export function storedOptions({
  rules,
  settings,
  settingsFiles,
  withoutUserSettings,
  trusted,
}: HaftOptions): Readonly<Record<string, unknown>> {
  const { ask, deny } = rules ?? {};
  const kept = { rules: { ask, deny }, settings, settingsFiles, withoutUserSettings, trusted };
  return JSON.parse(toJson(kept)) as Readonly<Record<string, unknown>>;
}
