import type { JobState } from "@haft/core/tool";

/** Tells of each background job that has ended since the last look, also of one that began since then. */
export function createJobWatch(list: () => readonly JobState[]): () => readonly JobState[] {
  const told = new Set<string>();
  return () => {
    const ended = list().filter(({ id, status }) => status === "ended" && !told.has(id));
    for (const { id } of ended) told.add(id);
    return ended;
  };
}
