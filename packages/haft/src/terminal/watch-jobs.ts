import type { JobState } from "@haft/core/tool";

/** Tells of each background job that has ended since the last look. */
export function createJobWatch(list: () => readonly JobState[]): () => readonly JobState[] {
  const running = new Set<string>();
  return () => {
    const ended: JobState[] = [];
    for (const job of list())
      if (job.status === "running") running.add(job.id);
      else if (running.delete(job.id)) ended.push(job);
    return ended;
  };
}
